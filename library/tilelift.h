/*===----------------------------------------------------------------------===*\
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|* tilelift for programs that compile kernels while they run: a source in memory goes in, and out
|* comes the device's source with TMA, how its kernels are launched, and what there is to say.
|*
|* C, with structs that only grow at their end: `size` says how much of one the caller knows.
|* Nothing is printed, no file is written, no exception leaves, and calls may be made from many
|* threads at once. Strings are UTF-8 and end in a zero; those of a result live as long as it does.
\*===----------------------------------------------------------------------===*/
#ifndef TILELIFT_H
#define TILELIFT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TILELIFT_API __attribute__((visibility("default")))
#else
#define TILELIFT_API
#endif

/** How a source is lifted. Where file_name, arch or cuda_path is null, its comment gives the
 * default; lists may be empty, and what is zero is off. */
typedef struct tilelift_options {
  size_t size;              /**< sizeof(tilelift_options) */
  const char *file_name;    /**< what the source is called in messages: "kernel.cu" */
  const char *arch;         /**< where __CUDA_ARCH__ matters: "sm_90" */
  const char *cuda_path;    /**< where the toolkit is: "/usr/local/cuda" */
  const char *const *flags; /**< for Clang: "-Iinclude", "-DN=4" */
  size_t flag_count;
  const char *const *blocks; /**< of kernels that the source does not launch: "blur=32,8" */
  size_t block_count;
  const char *const *warnings; /**< as behind -W: "no-short-rows", "error=stays-plain" */
  size_t warning_count;
  int whole_file;           /**< keep the host's part, with launchers for the CUDA runtime */
  int lift_always;          /**< lift copies even where that is expected to be slower */
  int remarks;              /**< say what became of each copy */
  int only_asked_pipelines; /**< make copies ahead only where a pipeline pragma asks for it */
} tilelift_options;

typedef enum tilelift_status {
  TILELIFT_LIFTED = 0,  /**< all copies, or there are none */
  TILELIFT_REFUSED = 1, /**< a copy cannot be lifted; the diagnostics say why */
  TILELIFT_FAILED = 2   /**< the source does not compile, or the options make no sense */
} tilelift_status;

typedef enum tilelift_text {
  TILELIFT_SOURCE = 0,   /**< the lifted source */
  TILELIFT_MANIFEST = 1, /**< JSON; not of a whole file */
  TILELIFT_PYTHON = 2,   /**< a module of launchers; not of a whole file */
  TILELIFT_MESSAGES = 3, /**< all diagnostics, as a compiler prints them */
  TILELIFT_DRIVER = 4    /**< a C++ header of launchers over the driver API; not of a whole file */
} tilelift_text;

typedef enum tilelift_severity {
  TILELIFT_NOTE = 1, /**< about the diagnostic before */
  TILELIFT_REMARK = 2,
  TILELIFT_WARNING = 3,
  TILELIFT_ERROR = 4
} tilelift_severity;

typedef struct tilelift_diagnostic {
  size_t size;      /**< set by the caller: sizeof(tilelift_diagnostic) */
  int32_t severity; /**< tilelift_severity */
  uint32_t line;    /**< from 1; 0 where there is no place */
  uint32_t column;
  const char *id; /**< what -Wno-<id> takes; "" where Clang speaks */
  const char *message;
  const char *file;
} tilelift_diagnostic;

typedef struct tilelift_result tilelift_result;

/** Never null; free it. `options` may be null. */
TILELIFT_API tilelift_result *tilelift_lift(const char *source, size_t length,
                                            const tilelift_options *options);
TILELIFT_API tilelift_status tilelift_result_status(const tilelift_result *result);
/** Empty where there is no such text. */
TILELIFT_API const char *tilelift_result_text(const tilelift_result *result, tilelift_text kind);
TILELIFT_API size_t tilelift_result_diagnostics(const tilelift_result *result);
/** False if there is none of that number. */
TILELIFT_API int tilelift_result_diagnostic(const tilelift_result *result, size_t number,
                                            tilelift_diagnostic *diagnostic);
TILELIFT_API void tilelift_result_free(tilelift_result *result);

/** "0.1.0" */
TILELIFT_API const char *tilelift_version(void);
/** Where the headers are that a lifted source includes. */
TILELIFT_API const char *tilelift_include_path(void);

#ifdef __cplusplus
}
#endif

#endif
