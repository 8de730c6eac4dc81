/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text placed before each kernel, so that one source compiles as OpenCL C and as CUDA C. A
 * kernel is written
 *
 *     ENTRY(name) { .. arena[in0] .. arena[out] .. }
 *
 * - `arena` is the memory of its job; in0, in1, in2, status and out are offsets into it.
 * - THREADS_OF_GROUP threads work on work group number GROUP.
 * - BARRIER waits for all threads of the group; every one of them must reach it.
 * - SHARED declares memory of the group, at the start of the entry; functions take it as
 *   SHARED_PTR.
 * - Kernels check the bytes of their inputs as host code does.
 * - OpenCL functions are always inlined: LLVM 15 under PoCL crashes on calls that contain barriers.
 */
#ifdef __OPENCL_VERSION__
typedef uchar u8;
typedef ushort u16;
typedef uint u32;
typedef ulong u64;
typedef int i32;
#define GLOBAL __global
#define SHARED __local
#define SHARED_PTR __local
#define CONSTANT __constant
#define DEVICE static inline __attribute__((always_inline))
#define THREAD ((u32)get_local_id(0))
#define THREADS_OF_GROUP ((u32)get_local_size(0))
#define GROUP ((u32)get_group_id(0))
#define BARRIER() barrier(CLK_LOCAL_MEM_FENCE)
#define ENTRY(name) \
    __kernel void name(__global u8 *arena, u32 in0, u32 in1, u32 in2, u32 status, u32 out)
#else
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef int i32;
#define GLOBAL
#define SHARED __shared__
#define SHARED_PTR
#define CONSTANT static __device__ const
#define DEVICE static __device__
#define THREAD ((u32)threadIdx.x)
#define THREADS_OF_GROUP ((u32)blockDim.x)
#define GROUP ((u32)blockIdx.x)
#define BARRIER() __syncthreads()
#define ENTRY(name) \
    extern "C" __global__ void name(u8 *arena, u32 in0, u32 in1, u32 in2, u32 status, u32 out)
#endif
