// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All pairs of bodies: a block takes the positions of as many bodies as it has threads into shared
// memory, as float4 with the mass in w, and each thread adds up what they do to its own body.

#include "field.cuh"

__constant__ float softeningSquared;

__device__ float3 bodyBodyInteraction(float3 ai, float4 bi, float4 bj) {
  float3 r;
  r.x = bj.x - bi.x;
  r.y = bj.y - bi.y;
  r.z = bj.z - bi.z;

  float distSqr = r.x * r.x + r.y * r.y + r.z * r.z;
  distSqr += softeningSquared;

  float invDist = rsqrtf(distSqr);
  float invDistCube = invDist * invDist * invDist;
  float s = bj.w * invDistCube;

  ai.x += r.x * s;
  ai.y += r.y * s;
  ai.z += r.z * s;
  return ai;
}

__device__ float3 computeBodyAccel(float4 bodyPos, float4 *positions, int numTiles) {
  extern __shared__ float4 sharedPos[];
  float3 acc = {0.0f, 0.0f, 0.0f};

  for (int tile = 0; tile < numTiles; tile++) {
#pragma tma load fallback(loop)
    sharedPos[threadIdx.x] = positions[tile * blockDim.x + threadIdx.x];
    __syncthreads();

#pragma unroll 128
    for (unsigned int counter = 0; counter < blockDim.x; counter++)
      acc = bodyBodyInteraction(acc, bodyPos, sharedPos[counter]);
    __syncthreads();
  }
  return acc;
}

// One step with dynamic shared memory and the loop over tiles in a function.
__global__ void integrateBodies(float4 *newPos, float4 *oldPos, float4 *vel, unsigned int numBodies,
                                float deltaTime, float damping, int numTiles) {
  int index = blockIdx.x * blockDim.x + threadIdx.x;

  float4 position = oldPos[index];
  float3 accel = computeBodyAccel(position, oldPos, numTiles);

  float4 velocity = vel[index];
  velocity.x += accel.x * deltaTime;
  velocity.y += accel.y * deltaTime;
  velocity.z += accel.z * deltaTime;
  velocity.x *= damping;
  velocity.y *= damping;
  velocity.z *= damping;

  position.x += velocity.x * deltaTime;
  position.y += velocity.y * deltaTime;
  position.z += velocity.z * deltaTime;
  newPos[index] = position;
}

#define SOFTENING 1e-9f
#define BLOCK_SIZE 256

struct Body {
  float x, y, z, w;
};

// The small one that everybody starts with: a static tile, a guard for the number of bodies.
__global__ void bodyForce(const Body *p, Body *v, float dt, int n) {
  __shared__ Body spos[BLOCK_SIZE];
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  Body own = i < n ? p[i] : Body{0, 0, 0, 0};
  float Fx = 0.0f, Fy = 0.0f, Fz = 0.0f;

  for (int tile = 0; tile < gridDim.x; tile++) {
    int j = tile * BLOCK_SIZE + threadIdx.x;
#pragma tma load
    if (j < n)
      spos[threadIdx.x] = p[j];
    __syncthreads();

    int count = min(BLOCK_SIZE, n - tile * BLOCK_SIZE);
    for (int k = 0; k < count; k++) {
      float dx = spos[k].x - own.x;
      float dy = spos[k].y - own.y;
      float dz = spos[k].z - own.z;
      float distSqr = dx * dx + dy * dy + dz * dz + SOFTENING;
      float invDist = rsqrtf(distSqr);
      float invDist3 = invDist * invDist * invDist;
      Fx += dx * invDist3;
      Fy += dy * invDist3;
      Fz += dz * invDist3;
    }
    __syncthreads();
  }
  if (i < n)
    v[i] = Body{dt * Fx, dt * Fy, dt * Fz, 0};
}

int main() {
  const int numBodies = field::pick(32768, 512), p = 256;
  const float softening = 0.01f;
  CHECK(cudaMemcpyToSymbol(softeningSquared, &softening, sizeof(float)));
  Buffer oldPos(numBodies * 16, 1), newPos(numBodies * 16, 2), vel(numBodies * 16, 3);
  field::measure("nbody", newPos, [&] {
    int sharedMemSize = p * sizeof(float4);
    integrateBodies<<<numBodies / p, p, sharedMemSize>>>(newPos.as<float4>(), oldPos.as<float4>(),
                                                         vel.as<float4>(), numBodies, 0.016f, 1.0f,
                                                         numBodies / p);
  });
  const int n = field::pick(30000, 400);
  field::measure("nbody-guarded", vel, [&] {
    bodyForce<<<(n + BLOCK_SIZE - 1) / BLOCK_SIZE, BLOCK_SIZE>>>(oldPos.as<Body>(), vel.as<Body>(),
                                                                 0.01f, n);
  });
}
