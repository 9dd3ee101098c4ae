// What faultsplugin.so exports beside its entry point, for tests that load it into LAMMPS.
#include "faults/host_faults.h"

extern "C" {

__attribute__((visibility("default"))) void triad_fail_host_allocation(long long n, long long times) {
  triad::faults::fail_allocation(n, times);
}
__attribute__((visibility("default"))) long long triad_host_allocations() { return triad::faults::allocations(); }
__attribute__((visibility("default"))) int triad_host_fault_fired() { return triad::faults::fired(); }
}
