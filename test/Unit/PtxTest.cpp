// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ptx/Ptx.h"

#include <gtest/gtest.h>

using namespace tilelift::ptx;

namespace {

std::unique_ptr<Module> parsed(const char *text) {
  std::string problem;
  std::unique_ptr<Module> module = parse(text, problem);
  EXPECT_TRUE(module) << problem;
  return module;
}

std::string problemOf(const char *text) {
  std::string problem;
  EXPECT_FALSE(parse(text, problem));
  return problem;
}

TEST(PtxTest, KernelWithParametersAndAttributes) {
  auto module = parsed(R"(
.version 8.8
.target sm_90a
.address_size 64
.visible .entry blur(
  .param .u64 .ptr .align 1 blur_param_0,
  .param .align 64 .b8 blur_param_1[128]
)
.maxntid 128, 2, 1
.reqnctapercluster 2, 1, 1
{
  ret;
}
)");
  ASSERT_EQ(module->functions.size(), 1u);
  const Function &blur = module->functions[0];
  EXPECT_TRUE(blur.isKernel && blur.isDefined);
  ASSERT_EQ(blur.parameters.size(), 2u);
  EXPECT_EQ(blur.parameters[0].bytes, 8u);
  EXPECT_EQ(blur.parameters[1].bytes, 128u);
  EXPECT_EQ(blur.parameters[1].alignment, 64u);
  EXPECT_EQ(blur.maxThreads, 256u);
  EXPECT_EQ(blur.cluster[0], 2u);
}

TEST(PtxTest, Instructions) {
  auto module = parsed(R"(
.visible .entry f()
{
  .reg .pred %p<3>;
  .reg .b32 a, b;
  @!%p1 ld.global.L2::cache_hint.v4.b32 {a, b, _, %r3}, [%rd1+-16], %rd2;
  setp.lt.and.f32 %p1|%p2, 0f3F800000, a, !%p0;
  cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [a], [%rd1, {%r1, -4}], [b];
  call.uni (retval0), vprintf, (param0, param1);
}
)");
  const auto &body = module->functions[0].body;
  ASSERT_EQ(body.size(), 6u);
  EXPECT_EQ(body[0].variables[0].count, 3u);
  EXPECT_EQ(body[1].variables.size(), 2u);

  const Instruction &load = body[2].code;
  EXPECT_EQ(load.guard, "%p1");
  EXPECT_TRUE(load.guardNegated);
  EXPECT_TRUE(load.has("L2::cache_hint"));
  EXPECT_TRUE(load.type() == (Type{Type::Bits, 32, 1}));
  EXPECT_EQ(load.operands[0].elements[2].kind, Operand::Sink);
  EXPECT_EQ(load.operands[1].name, "%rd1");
  EXPECT_EQ(load.operands[1].value, -16);

  const Instruction &compare = body[3].code;
  EXPECT_EQ(compare.operands[0].kind, Operand::Pair);
  EXPECT_EQ(compare.operands[1].kind, Operand::Single);
  EXPECT_EQ(compare.operands[1].value, 0x3f800000);
  EXPECT_TRUE(compare.operands[3].negated);

  const Instruction &copy = body[4].code;
  EXPECT_EQ(copy.operands[1].elements[0].elements[1].value, -4);
  EXPECT_EQ(body[5].code.operands[2].elements.size(), 2u);
}

TEST(PtxTest, Types) {
  EXPECT_TRUE(parseType("f16x2") == (Type{Type::Float, 16, 2}));
  EXPECT_EQ(parseType("bf16x2").kind, Type::Brain);
  EXPECT_EQ(parseType("e4m3x2").totalBits(), 16u);
  EXPECT_EQ(parseType("s64").bytes(), 8u);
  EXPECT_FALSE(parseType("sync"));
  EXPECT_FALSE(parseType("s7"));
}

TEST(PtxTest, VariablesAndAddressesInThem) {
  auto module = parsed(R"(
.global .align 8 .u64 table[3] = {generic(other)+4, 0, f};
.const .align 4 .b8 bytes[6] = {1, 2, 255};
.global .align 8 .b8 packed[8] = {0xFF(other), 0xFF00(other), 0xFF0000(other), 0xFF000000(other), 0xFF00000000(other), 0xFF0000000000(other), 0xFF000000000000(other), 0xFF00000000000000(other)};
.global .align 4 .f32 other = 0f40000000;
.extern .shared .align 16 .b8 dynamic[];
)");
  const auto &variables = module->variables;
  ASSERT_EQ(variables.size(), 5u);
  ASSERT_EQ(variables[0].initial.symbols.size(), 2u);
  EXPECT_EQ(variables[0].initial.symbols[0].name, "other");
  EXPECT_EQ(variables[0].initial.symbols[0].addend, 4);
  EXPECT_EQ(variables[0].initial.symbols[1].offset, 16u);
  EXPECT_EQ(variables[1].initial.bytes, (std::vector<uint8_t>{1, 2, 255, 0, 0, 0}));
  ASSERT_EQ(variables[2].initial.symbols.size(), 1u);
  EXPECT_EQ(variables[2].initial.symbols[0].offset, 0u);
  EXPECT_EQ(variables[3].initial.bytes, (std::vector<uint8_t>{0, 0, 0, 0x40}));
  EXPECT_TRUE(variables[4].isExternal);
  EXPECT_EQ(variables[4].bytes, 0u);
}

TEST(PtxTest, PlacesComeFromComments) {
  auto module = parsed(R"(
.visible .entry f()
{
  .loc 1 12 3 // dir/blur.cu:12:3
  ret;
  .loc 2 5 1 // lib.h:5:1 @[ dir/blur.cu:20:7 ]
  ret;
  .loc 1 0 1 // dir/blur.cu:0:1
  ret;
}
)");
  const auto &body = module->functions[0].body;
  auto frames = [&](unsigned i) { return module->places[body[i].place]; };
  ASSERT_EQ(frames(0).size(), 1u);
  EXPECT_EQ(frames(0)[0].file, "dir/blur.cu");
  EXPECT_EQ(frames(0)[0].line, 12u);
  ASSERT_EQ(frames(1).size(), 2u);
  EXPECT_EQ(frames(1)[0].file, "lib.h");
  EXPECT_EQ(frames(1)[1].line, 20u);
  EXPECT_EQ(body[2].place, body[1].place) << "line 0 belongs to what stands before it";
}

TEST(PtxTest, ScopesAndLists) {
  auto module = parsed(R"(
.func (.param .b32 result) g(.param .b64 value)
{
  $L: .branchtargets $a, $b;
  $P: .callprototype (.param .b32 _) _ (.param .b64 _, .param .align 8 .b8 _[16]);
  { .reg .b32 t; lab: bra lab; }
  ret;
}
)");
  const Function &g = module->functions[0];
  EXPECT_FALSE(g.isKernel);
  EXPECT_EQ(g.results[0].bytes, 4u);
  EXPECT_EQ(g.body[0].targets, (std::vector<std::string>{"$a", "$b"}));
  EXPECT_EQ(g.body[1].variables.size(), 2u);
  EXPECT_EQ(g.body[2].kind, Statement::Open);
  EXPECT_EQ(g.body[4].kind, Statement::Label);
}

TEST(PtxTest, WhatIsWrongIsNamed) {
  EXPECT_EQ(problemOf(".visible .entry f()\n{\n  ret\n"), "line 4: expected a name");
  EXPECT_EQ(problemOf("\n.texref x;\n"), "line 2: unknown directive '.texref x;'");
}

} // namespace
