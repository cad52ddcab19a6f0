/* C as it was in 1999: a source in memory, what becomes of it, and an older caller's structs. */
#include "tilelift.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *contents(const char *path) {
  FILE *file = fopen(path, "rb");
  char *text = calloc(1, 1 << 16);
  if (!file || !fread(text, 1, (1 << 16) - 1, file))
    exit(2);
  fclose(file);
  return text;
}

static void print(const tilelift_result *result) {
  size_t i;
  printf("status %d\n", (int)tilelift_result_status(result));
  for (i = 0; i < tilelift_result_diagnostics(result); ++i) {
    tilelift_diagnostic one;
    memset(&one, 0, sizeof one);
    one.size = sizeof one;
    if (!tilelift_result_diagnostic(result, i, &one))
      exit(3);
    printf("%d [%s] %s:%u:%u %s\n", (int)one.severity, one.id, one.file, one.line, one.column, one.message);
  }
}

int main(int count, char **arguments) {
  char *source = contents(arguments[1]);
  const char *blocks[] = {"lone=128"};
  const char *warnings[] = {"error=short-rows"};
  tilelift_options options;
  tilelift_diagnostic one;
  tilelift_result *result;
  (void)count;
  printf("version %s, headers %s\n", tilelift_version(), strstr(tilelift_include_path(), "include") ? "found" : "missing");

  /* Nothing says how large the block is. */
  result = tilelift_lift(source, strlen(source), NULL);
  print(result);
  printf("source '%s'\n", tilelift_result_text(result, TILELIFT_SOURCE));
  tilelift_result_free(result);

  memset(&options, 0, sizeof options);
  options.size = sizeof options;
  options.file_name = "in memory.cu";
  options.blocks = blocks;
  options.block_count = 1;
  options.remarks = 1;
  result = tilelift_lift(source, strlen(source), &options);
  print(result);
  printf("lifted %s, manifest %s, python %s\n",
         strstr(tilelift_result_text(result, TILELIFT_SOURCE), "lone_tma") ? "yes" : "no",
         strstr(tilelift_result_text(result, TILELIFT_MANIFEST), "\"manifest\": 1") ? "yes" : "no",
         strstr(tilelift_result_text(result, TILELIFT_PYTHON), "lone = Kernel(") ? "yes" : "no");
  one.size = offsetof(tilelift_diagnostic, column); /* of a caller that knows less */
  one.column = 77;
  printf("older: %d, column %u; none of that number: %d\n", tilelift_result_diagnostic(result, 0, &one), one.column,
         tilelift_result_diagnostic(result, 99, &one));
  tilelift_result_free(result);

  options.size = offsetof(tilelift_options, blocks); /* the same of the options: they end before the blocks */
  result = tilelift_lift(source, strlen(source), &options);
  printf("older: status %d\n", (int)tilelift_result_status(result));
  tilelift_result_free(result);

  options.size = sizeof options;
  options.whole_file = 1;
  options.warnings = warnings;
  options.warning_count = 1;
  result = tilelift_lift(source, strlen(source), &options);
  printf("whole: %d, %s, manifest '%s'\n", (int)tilelift_result_status(result),
         strstr(tilelift_result_text(result, TILELIFT_SOURCE), "lone_tma_launch") ? "with launchers" : "without",
         tilelift_result_text(result, TILELIFT_MANIFEST));
  tilelift_result_free(result);

  options.arch = "sm_80";
  result = tilelift_lift(source, strlen(source), &options);
  print(result);
  tilelift_result_free(result);
  result = tilelift_lift(NULL, 0, NULL);
  print(result);
  tilelift_result_free(result);
  free(source);
  return 0;
}
