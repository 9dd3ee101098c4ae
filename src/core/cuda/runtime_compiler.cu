#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "core/cuda/embedded_headers.h"
#include "core/cuda/runtime_compiler.h"
#include "core/error.h"

namespace triad {
namespace cuda {
namespace {

/// What the embedded headers need of the standard library, which NVRTC lacks.
constexpr const char *standard_library = R"triad(
#pragma once
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
#define NAN __int_as_float(0x7fffffff)
#define INFINITY __int_as_float(0x7f800000)
namespace std {
using ::size_t;
using ptrdiff_t = long long;
using ::int8_t;
using ::int16_t;
using ::int32_t;
using ::int64_t;
using ::uint8_t;
using ::uint16_t;
using ::uint32_t;
using ::uint64_t;
template <class T, T v>
struct integral_constant {
  static constexpr T value = v;
  using value_type = T;
  constexpr operator T() const { return v; }
};
template <bool b>
using bool_constant = integral_constant<bool, b>;
using true_type = bool_constant<true>;
using false_type = bool_constant<false>;
template <class A, class B>
struct is_same : false_type {};
template <class A>
struct is_same<A, A> : true_type {};
template <class T>
struct is_empty : bool_constant<__is_empty(T)> {};
template <bool c, class A, class B>
struct conditional {
  using type = A;
};
template <class A, class B>
struct conditional<false, A, B> {
  using type = B;
};
template <bool c, class A, class B>
using conditional_t = typename conditional<c, A, B>::type;
using ::ceil;
using ::exp2;
using ::log2;
using ::memcpy;
}  // namespace std
)triad";
constexpr const char *standard_names[] = {"cmath", "cstddef", "cstdint", "cstring", "type_traits", "utility"};

using Program = void *;  // nvrtcProgram

/// The functions of NVRTC. A result of 0 is success.
struct Nvrtc {
  int (*create)(Program *, const char *, const char *, int, const char *const *, const char *const *);
  int (*destroy)(Program *);
  int (*add_name)(Program, const char *);
  int (*compile)(Program, int, const char *const *);
  int (*lowered_name)(Program, const char *, const char **);
  int (*cubin_size)(Program, std::size_t *);
  int (*cubin)(Program, char *);
  int (*log_size)(Program, std::size_t *);
  int (*log)(Program, char *);
};

void *open_nvrtc() {
  const char *const given = std::getenv("TRIAD_NVRTC");
  if (given && *given) {
    if (void *const library = dlopen(given, RTLD_NOW | RTLD_LOCAL)) return library;
    throw LoopError(std::string("TRIAD_NVRTC names no library that can be loaded: ") + dlerror());
  }
  const std::string major = std::to_string(CUDART_VERSION / 1000);
  for (const std::string &name : {"libnvrtc.so." + major, std::string("libnvrtc.so.13"), std::string("libnvrtc.so.12"),
                                  std::string("libnvrtc.so"), "/usr/local/cuda/lib64/libnvrtc.so." + major})
    if (void *const library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  throw LoopError(
      "the law of a formula needs NVIDIA's run-time compiler for the GPU, libnvrtc.so, which was not found; install it "
      "with pip install nvidia-cuda-nvrtc (CUDA 13) or nvidia-cuda-nvrtc-cu12 (CUDA 12), or with the CUDA toolkit, and "
      "set TRIAD_NVRTC to the path of the library if it is not in the loader's path; or use backend host");
}

const Nvrtc &nvrtc() {
  static const Nvrtc functions = [] {
    void *const library = open_nvrtc();
    Nvrtc f = {};
    const auto find = [&](auto &function, const char *name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
      if (!function) throw LoopError(std::string("libnvrtc.so has no function ") + name + "; install a newer version");
    };
    find(f.create, "nvrtcCreateProgram");
    find(f.destroy, "nvrtcDestroyProgram");
    find(f.add_name, "nvrtcAddNameExpression");
    find(f.compile, "nvrtcCompileProgram");
    find(f.lowered_name, "nvrtcGetLoweredName");
    find(f.cubin_size, "nvrtcGetCUBINSize");
    find(f.cubin, "nvrtcGetCUBIN");
    find(f.log_size, "nvrtcGetProgramLogSize");
    find(f.log, "nvrtcGetProgramLog");
    return f;
  }();
  return functions;
}

/// Owns a program; throws LoopError for results other than success.
class OwnedProgram {
 public:
  explicit OwnedProgram(const std::string &source) {
    std::vector<const char *> text, name;
    for (const EmbeddedHeader &header : embedded_headers()) {
      name.push_back(header.name);
      text.push_back(header.text);
    }
    for (const char *standard : standard_names) {
      name.push_back(standard);
      text.push_back("#include \"triad_standard_library\"\n");
    }
    name.push_back("triad_standard_library");
    text.push_back(standard_library);
    require(nvrtc().create(&program_, source.c_str(), "formula.cu", static_cast<int>(name.size()), text.data(),
                           name.data()));
  }
  ~OwnedProgram() {
    if (program_) nvrtc().destroy(&program_);
  }
  OwnedProgram(const OwnedProgram &) = delete;
  OwnedProgram &operator=(const OwnedProgram &) = delete;

  void require(int result) const {
    if (result == 0) return;
    std::size_t size = 0;
    std::string log;
    if (program_ && nvrtc().log_size(program_, &size) == 0 && size > 1) {
      log.resize(size);
      nvrtc().log(program_, log.data());
    }
    throw LoopError("NVRTC cannot compile the formula (error " + std::to_string(result) + "): " + log);
  }
  operator Program() const { return program_; }

 private:
  Program program_ = nullptr;
};

}  // namespace

const MachineCode &machine_code(const std::string &source, const std::string &kernel, const std::string &architecture) {
  static std::mutex mutex;
  static std::map<std::array<std::string, 3>, MachineCode> known;
  const std::lock_guard<std::mutex> lock(mutex);
  const std::array<std::string, 3> key = {source, kernel, architecture};
  const auto found = known.find(key);
  if (found != known.end()) return found->second;
  const std::string target = "--gpu-architecture=" + architecture;
  const char *const options[] = {target.c_str(), "--std=c++17", "--device-as-default-execution-space"};
  const OwnedProgram program(source);
  program.require(nvrtc().add_name(program, kernel.c_str()));
  program.require(nvrtc().compile(program, 3, options));
  const char *lowered = nullptr;
  program.require(nvrtc().lowered_name(program, kernel.c_str(), &lowered));
  std::size_t size = 0;
  program.require(nvrtc().cubin_size(program, &size));
  MachineCode code = {std::vector<char>(size), lowered};
  program.require(nvrtc().cubin(program, code.cubin.data()));
  return known.emplace(key, std::move(code)).first->second;
}

void require_runtime_compiler() { nvrtc(); }

}  // namespace cuda
}  // namespace triad
