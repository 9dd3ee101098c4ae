// The transitions of the state of run_style verlet/triad, in the orders in which LAMMPS calls a run style.
#include <gtest/gtest.h>

#include "lammps/run/run_state.h"

namespace LAMMPS_NS {
namespace {

using Phase = RunState::Phase;
using Lists = RunState::Lists;

TEST(RunState, StartsOnTheHostWithoutLists) {
  const RunState state;
  EXPECT_EQ(state.phase(), Phase::Idle);
  EXPECT_TRUE(state.engine_needs_atoms());
  EXPECT_FALSE(state.in_batches());
  EXPECT_FALSE(state.needs_cleanup());
}

TEST(RunState, RunContinuesWithTheAtomsOfTheSetup) {
  RunState state;
  state.begin_setup();
  EXPECT_TRUE(state.setting_up());
  EXPECT_FALSE(state.engine_has_setup());
  state.engine_started();
  EXPECT_TRUE(state.setting_up());
  EXPECT_TRUE(state.engine_has_setup());
  state.end_setup();
  EXPECT_FALSE(state.setting_up());
  EXPECT_TRUE(state.engine_has_setup());
  state.begin_run();
  EXPECT_FALSE(state.engine_has_setup());
  EXPECT_FALSE(state.needs_cleanup());
  state.end_run();
  EXPECT_TRUE(state.needs_cleanup());
  state.end_cleanup();
  EXPECT_EQ(state.phase(), Phase::Idle);
}

TEST(RunState, SetupWithoutTheEngineLeavesTheAtomsToLammps) {
  RunState state;
  state.begin_setup();
  state.end_setup();
  EXPECT_EQ(state.phase(), Phase::Idle);
  EXPECT_FALSE(state.engine_has_setup());
}

TEST(RunState, SecondRunWithoutSetupTakesAtomsFromLammps) {
  RunState state;
  state.begin_setup();
  state.engine_started();
  state.end_setup();
  state.begin_run();
  state.end_run();
  EXPECT_FALSE(state.engine_has_setup());
  state.begin_run();
  EXPECT_EQ(state.phase(), Phase::Running);
  EXPECT_FALSE(state.needs_cleanup());
}

TEST(RunState, EngineStartsInASetupOnly) {
  RunState state;
  state.engine_started();
  EXPECT_EQ(state.phase(), Phase::Idle);
  state.begin_run();
  state.engine_started();
  EXPECT_EQ(state.phase(), Phase::Running);
}

TEST(RunState, SetupBeginsAnewAfterAnError) {
  RunState state;
  state.begin_setup();
  state.engine_started();
  state.begin_run();  // an error ends the run here
  state.begin_setup();
  EXPECT_EQ(state.phase(), Phase::SettingUp);
  EXPECT_FALSE(state.engine_has_setup());
}

TEST(RunState, ListsOfLammps) {
  RunState state;
  state.took_lammps_list(false);
  EXPECT_EQ(state.lists(), Lists::OfLammps);
  EXPECT_FALSE(state.engine_needs_atoms());
  EXPECT_FALSE(state.engine_makes_lists());
  EXPECT_FALSE(state.next_step_needs_list());
  state.took_lammps_list(true);
  EXPECT_TRUE(state.next_step_needs_list());
  EXPECT_FALSE(state.lammps_lists_are_behind());
  state.took_lammps_list(false);
  EXPECT_FALSE(state.next_step_needs_list());
}

TEST(RunState, ListsOfTheEngine) {
  RunState state;
  state.engine_made_list(false);
  EXPECT_TRUE(state.engine_makes_lists());
  EXPECT_FALSE(state.lammps_lists_are_behind());
  state.engine_renewed_list();
  EXPECT_TRUE(state.engine_makes_lists());
  EXPECT_TRUE(state.lammps_lists_are_behind());
  state.engine_made_list(true);
  EXPECT_TRUE(state.lammps_lists_are_behind());
  EXPECT_FALSE(state.next_step_needs_list());
}

TEST(RunState, NewListsOfLammpsEndAllKnowledge) {
  RunState state;
  state.engine_made_list(true);
  state.lists_changed();
  EXPECT_TRUE(state.engine_needs_atoms());
  EXPECT_FALSE(state.engine_makes_lists());
  EXPECT_FALSE(state.lammps_lists_are_behind());
}

TEST(RunState, KindsOfSteps) {
  RunState state;
  state.set_steps(RunState::Steps::InBatches);
  EXPECT_TRUE(state.in_batches());
  EXPECT_FALSE(state.with_host_hooks());
  state.set_steps(RunState::Steps::WithHostHooks);
  EXPECT_FALSE(state.in_batches());
  EXPECT_TRUE(state.with_host_hooks());
}

}  // namespace
}  // namespace LAMMPS_NS
