// `quince show`: what a model file holds, and the graph it becomes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <memory>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/model_source.h"
#include "io/gguf_json.h"
#include "quince/error.h"
#include "quince/graph/text.h"
#include "quince/io/block_format.h"
#include "quince/io/gguf.h"

namespace quince::cli {
namespace {

struct ShowOptions {
  std::string file;
  std::string folder{kModelsFolder};
  bool graph = false;
  bool dot = false;
  bool ops = false;
  bool json = false;
};

using Json = nlohmann::ordered_json;

/// A graph's text is shown as the graph it is; anything else is taken for a GGUF file.
std::unique_ptr<Graph> graph_of(const std::string& path) {
  if (path.ends_with(".graph")) {
    const std::string text = read_text(path);
    try {
      return parse_graph(text);
    } catch (const Error& error) {
      throw error.within("reading " + path);
    }
  }
  return load_graph(GgufFile::open(path));
}

void show_ops(const Graph& graph, bool json) {
  const std::vector<std::int64_t> counts = graph.count_ops();
  Json ops = Json::object();
  std::string text;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    ops[std::string(name(static_cast<Op>(i)))] = counts[i];
    text += fmt::format("{:<10} {:>8}\n", name(static_cast<Op>(i)), counts[i]);
  }
  json ? write_json({{"ops", ops}}) : write_out(text);
}

void show_graph(const ShowOptions& options, const std::string& path) {
  const std::unique_ptr<Graph> graph = graph_of(path);
  if (options.ops) return show_ops(*graph, options.json);
  const std::string text = options.dot ? to_dot(*graph) : to_text(*graph);
  if (options.json) {
    write_json({{options.dot ? "dot" : "graph", text}});
  } else {
    write_out(text);
  }
}

std::string size_text(std::uint64_t bytes) {
  return bytes < 10'000'000 ? fmt::format("{:.1f} KB", static_cast<double>(bytes) / 1e3)
                            : fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

std::map<std::string_view, std::size_t> count_types(const GgufFile& file) {
  std::map<std::string_view, std::size_t> types;
  for (const GgufTensor& tensor : file.tensors()) ++types[tensor.format->name];
  return types;
}

void show_file_json(const GgufFile& file) {
  Json metadata = Json::object();
  for (const GgufFile::Entry& entry : file.metadata()) metadata[std::string(entry.key)] = to_json(entry.value, 64);
  Json tensors = Json::array();
  for (const GgufTensor& tensor : file.tensors()) {
    tensors.push_back({{"name", tensor.name},
                       {"type", tensor.format->name},
                       {"shape", tensor.shape},
                       {"offset", tensor.offset},
                       {"bytes", tensor.bytes}});
  }
  Json types = Json::object();
  for (const auto& [type, count] : count_types(file)) types[std::string(type)] = count;
  write_json({{"file", file.path()},
              {"version", file.version()},
              {"bytes", file.size()},
              {"metadata", metadata},
              {"types", types},
              {"tensors", tensors}});
}

void show_file(const GgufFile& file) {
  std::string text = fmt::format("{}: GGUF version {}, {}\n\n", file.path(), file.version(), size_text(file.size()));
  for (const GgufFile::Entry& entry : file.metadata()) {
    text += fmt::format("{} = {}\n", printable(entry.key), to_string(entry.value));
  }
  text += '\n';
  for (const GgufTensor& tensor : file.tensors()) {
    text += fmt::format("{:<36} {:<5} {:>10}  [{}]\n", printable(tensor.name), tensor.format->name,
                        size_text(tensor.bytes), fmt::join(tensor.shape, ", "));
  }
  text += fmt::format("\n{} tensors:", file.tensors().size());
  for (const auto& [type, count] : count_types(file)) text += fmt::format(" {} {}", count, type);
  write_out(text + "\n");
}

void show(const ShowOptions& options) {
  if (options.graph + options.dot + options.ops > 1) throw UsageError{"give one of --graph, --dot and --ops"};
  const std::string path = model_path(options.file, options.folder);
  if (options.graph || options.dot || options.ops) return show_graph(options, path);
  if (path.ends_with(".graph")) throw UsageError{"a graph's text needs one of --graph, --dot and --ops"};
  const GgufFile file = GgufFile::open(path);
  options.json ? show_file_json(file) : show_file(file);
}

}  // namespace

void add_show(CLI::App& app) {
  auto options = std::make_shared<ShowOptions>();
  CLI::App* command = app.add_subcommand("show", "Show a model file: hyper-parameters, tensors, types; or its graph");
  command->add_option("file", options->file, "GGUF file, a known model's name, or a graph's text (.graph)")->required();
  command->add_flag("--graph", options->graph, "Print the graph as text");
  command->add_flag("--dot", options->dot, "Print the graph as Graphviz source");
  command->add_flag("--ops", options->ops, "Count the graph's nodes per op");
  command->add_option("--models", options->folder, "Folder of models")->capture_default_str();
  command->add_flag("--json", options->json, "Print one JSON object");
  command->callback([options] { show(*options); });
}

}  // namespace quince::cli
