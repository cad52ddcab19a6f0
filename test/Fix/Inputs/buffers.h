// A struct whose tile starts where TMA cannot write.
#pragma once

struct Buffers {
  float weights[3];
  float tile[8][32];
};
