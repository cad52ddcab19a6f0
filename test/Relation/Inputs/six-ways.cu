constexpr int W = 32, H = 8;

#define INSIDE(x, y) ((x) >= 0 && (x) < w && (y) >= 0 && (y) < h)

__global__ void flat(const float *in, int w, int h) {
  __shared__ float tile[H][W];
  int x0 = blockIdx.x * W - 4, y0 = blockIdx.y * H - 1;
#pragma tma load threads(256)
  for (int i = threadIdx.x; i < H * W; i += blockDim.x) {
    int r = i / W, c = i % W;
    tile[r][c] = INSIDE(x0 + c, y0 + r) ? in[(y0 + r) * w + x0 + c] : 0.f;
  }
}

__global__ void nested(const float *in, int w, int h) {
  __shared__ float tile[H][W];
  int x0 = blockIdx.x * W - 4, y0 = blockIdx.y * H - 1;
#pragma tma load threads(16, 16)
  for (int r = threadIdx.y; r < H; r += blockDim.y)
    for (int c = threadIdx.x; c < W; c += blockDim.x)
      if (INSIDE(x0 + c, y0 + r))
        tile[r][c] = in[(y0 + r) * w + x0 + c];
      else
        tile[r][c] = 0;
}

__global__ void one_element(const float *in, int w, int h) {
  __shared__ float tile[H][W];
  int x = blockIdx.x * W + (int)threadIdx.x - 4, y = blockIdx.y * H + (int)threadIdx.y - 1;
#pragma tma load threads(32, 8)
  tile[threadIdx.y][threadIdx.x] = INSIDE(x, y) ? in[y * w + x] : 0.f;
}

__global__ void row_steps(const float *in, int w, int h) {
  __shared__ float tile[H][W];
  const int column = threadIdx.x & 31, row = threadIdx.x >> 5;
  const int x = (int)blockIdx.x * W - 4 + column, y0 = (int)blockIdx.y * H - 1;
  const float *from = in + y0 * w + x;
#pragma tma load threads(64)
  for (int r = row; r < H; r += 2) {
    float value = 0.f;
    if (!(y0 + r < 0 || y0 + r >= h || x < 0 || x >= w))
      value = from[r * w];
    tile[r][column] = value;
  }
}

__global__ void early(const float *in, int w, int h) {
  __shared__ float tile[H][W];
  int x0 = blockIdx.x * W - 4, y0 = blockIdx.y * H - 1;
#pragma tma load threads(128)
  for (unsigned i = threadIdx.x; i < H * W; i += 128) {
    int r = i / W, c = i % W;
    tile[r][c] = 0.f;
    if (y0 + r < 0 || x0 + c < 0)
      continue;
    if (unsigned(y0 + r) >= unsigned(h) || unsigned(x0 + c) >= unsigned(w))
      continue;
    tile[r][c] = __ldg(in + (y0 + r) * w + (x0 + c));
  }
}

__device__ float at(const float *in, int x, int y, int w, int h) {
  return INSIDE(x, y) ? in[y * w + x] : 0.f;
}

__global__ void helper(const float *in, int w, int h) {
  __shared__ float tile[H][W];
  int x0 = blockIdx.x * W - 4, y0 = blockIdx.y * H - 1;
#pragma tma load threads(32)
#pragma unroll
  for (int r = 0; r < H; ++r)
    tile[r][threadIdx.x] = at(in, x0 + (int)threadIdx.x, y0 + r, w, h);
}
