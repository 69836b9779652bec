"""Makes models/image-classifier/1/model.onnx: a real ONNX image classifier that is small enough to keep in the repository.

It averages each colour over the image and maps the three averages to 1000 class probabilities through one dense layer
with fixed pseudo-random weights. Shapes, names and types are those of a real classifier, its answers mean nothing.

    pip install onnx numpy && python examples/tools/make_image_classifier.py

The same weights give the same bytes; the file is 16 KB.
"""

from pathlib import Path

import numpy
from onnx import TensorProto, checker, helper, numpy_helper, save

TARGET = Path(__file__).parent.parent / "models" / "image-classifier" / "1" / "model.onnx"
CLASSES = 1000

weights = numpy.random.default_rng(seed=0).standard_normal((3, CLASSES)).astype(numpy.float32)

graph = helper.make_graph(
    name="image-classifier",
    inputs=[helper.make_tensor_value_info("input", TensorProto.FLOAT, ["batch", 224, 224, 3])],
    outputs=[helper.make_tensor_value_info("output", TensorProto.FLOAT, ["batch", CLASSES])],
    initializer=[
        numpy_helper.from_array(weights, "weights"),
        numpy_helper.from_array(numpy.zeros(CLASSES, numpy.float32), "bias"),
    ],
    nodes=[
        helper.make_node("ReduceMean", ["input"], ["colours"], axes=[1, 2], keepdims=0),
        helper.make_node("Gemm", ["colours", "weights", "bias"], ["scores"]),
        helper.make_node("Softmax", ["scores"], ["output"], axis=1),
    ],
)
# Operator set 17 and IR version 8 are read by every ONNX Runtime since 1.12 (2022).
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8, producer_name="triton-azure")
checker.check_model(model, full_check=True)
TARGET.parent.mkdir(parents=True, exist_ok=True)
save(model, TARGET)
print(f"{TARGET}: {TARGET.stat().st_size} bytes")
