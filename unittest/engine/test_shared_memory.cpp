// Memory between processes: data that one process writes are visible to the others, and missing segments cannot be
// opened.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>

#include "engine/exchange/shared_memory.h"

namespace triad {
namespace {

constexpr std::size_t bytes = 1 << 16;

TEST(SharedMemory, BeginsAsZeros) {
  SharedMemory own;
  ASSERT_TRUE(own.create(bytes));
  EXPECT_EQ(own.bytes(), bytes);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(own.data()) % 64, 0u);
  EXPECT_TRUE(std::all_of(own.data(), own.data() + bytes, [](char c) { return c == 0; }));
}

TEST(SharedMemory, IsOfSeveralProcesses) {
  SharedMemory own;
  ASSERT_TRUE(own.create(bytes));
  own.data()[0] = 3;
  const pid_t child = fork();
  if (child == 0) {
    SharedMemory other;
    if (!other.open(own.name(), bytes) || other.data()[0] != 3) _exit(1);
    other.data()[bytes - 1] = 5;
    _exit(0);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  EXPECT_EQ(own.data()[bytes - 1], 5);
}

TEST(SharedMemory, OutlivesItsName) {
  SharedMemory own, other, late;
  ASSERT_TRUE(own.create(bytes));
  const SharedName name = own.name();
  ASSERT_TRUE(other.open(name, bytes));
  own.unlink();
  EXPECT_FALSE(late.open(name, bytes));
  own.data()[7] = 9;
  EXPECT_EQ(other.data()[7], 9);
  own.close();
  EXPECT_EQ(other.data()[7], 9);
  EXPECT_EQ(own.data(), nullptr);
}

TEST(SharedMemory, IsNotThatOfAnotherHost) {
  SharedMemory own, other;
  ASSERT_TRUE(own.create(bytes));
  SharedName name = own.name();
  EXPECT_FALSE(other.open(name, 2 * bytes));
  ++name.secret;
  EXPECT_FALSE(other.open(name, bytes));
  EXPECT_EQ(other.data(), nullptr);
  EXPECT_FALSE(other.open(SharedName(), bytes));
}

/// If the process that has created a segment is killed, the system releases its lock.
TEST(SharedMemory, KnowsThatItsOwnerIsGone) {
  SharedMemory other;
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    SharedMemory own;
    if (!own.create(bytes, SharedMemory::Owner::Watched) ||
        write(ends[1], &own.name(), sizeof(SharedName)) != sizeof(SharedName))
      _exit(1);
    for (;;) pause();
  }
  SharedName name;
  ASSERT_EQ(read(ends[0], &name, sizeof name), ssize_t(sizeof name));
  ASSERT_TRUE(other.open(name, bytes));
  shm_unlink(name.name);
  EXPECT_TRUE(other.owner_alive());
  kill(child, SIGKILL);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_FALSE(other.owner_alive());
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(SharedMemory, KnowsThatItsOwnerHasClosedIt) {
  SharedMemory own, other;
  ASSERT_TRUE(own.create(bytes, SharedMemory::Owner::Watched));
  ASSERT_TRUE(other.open(own.name(), bytes));
  EXPECT_TRUE(own.owner_alive());
  EXPECT_TRUE(other.owner_alive());
  own.close();
  EXPECT_FALSE(other.owner_alive());
}

/// A size that exceeds the maximum size of a file.
TEST(SharedMemory, IsNotThereWhereThereIsNone) {
  SharedMemory own;
  EXPECT_FALSE(own.create(std::size_t(1) << 63));
  EXPECT_EQ(own.data(), nullptr);
}

}  // namespace
}  // namespace triad
