// A softmax over rows of four, compiled once for any number of rows and run on two.
#include <quince/quince.h>
#include <cstdio>

int main() {
  quince::Graph g;
  quince::Tensor x = g.input("x", quince::DType::f32, {quince::Expr::dim("rows"), 4});
  g.output("y", quince::nn::softmax(2.0 * x, -1));
  quince::Session session(quince::Program::compile(g));
  const float rows[] = {0, 1, 2, 3, 1, 1, 1, 1};
  const auto out = session.run({{"x", quince::Array::of<float>(quince::DType::f32, {2, 4}, rows)}});
  for (float y : out.at("y").data<float>()) std::printf("%.4f\n", y);
}
