/* Calls of machine code: the arguments are compared with what it was compiled for, before it trusts them.
   What does not fit goes to something else. Linked into the module that scripts/kernels makes. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#include <numpy/arrayobject.h>
#include <numpy/arrayscalars.h>

typedef struct Form {
    enum { INT, FLOAT, BOOL, ARRAY, TUPLE } kind;
    int type, dimensions, flags;
    Py_ssize_t count;
    struct Form *parts;
} Form;

typedef struct {
    PyObject_HEAD
    PyObject *function, *otherwise;
    Form *arguments; /* a tuple */
} Call;

static int read_form(PyObject *said, Form *form);

static int read_parts(PyObject *said, Py_ssize_t from, Form *form) {
    form->kind = TUPLE;
    form->count = PySequence_Size(said) - from;
    form->parts = PyMem_Calloc(form->count + 1, sizeof(Form));
    if (form->parts == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t i = 0; i < form->count; i++) {
        PyObject *part = PySequence_GetItem(said, i + from);
        if (part == NULL) return -1;
        int failed = read_form(part, &form->parts[i]);
        Py_DECREF(part);
        if (failed) return -1;
    }
    return 0;
}

static int read_array(PyObject *said, Form *form) {
    PyObject *words = PySequence_Tuple(said);
    if (words == NULL) return -1;
    const char *kind, *type, *layout;
    int dimensions, writable;
    PyArray_Descr *found = NULL;
    int read = PyArg_ParseTuple(words, "ssisp", &kind, &type, &dimensions, &layout, &writable);
    if (read) {
        PyObject *name = PyUnicode_FromString(type);
        read = name != NULL && PyArray_DescrConverter(name, &found);
        Py_XDECREF(name);
    }
    if (read) {
        form->kind = ARRAY;
        form->type = found->type_num;
        form->dimensions = dimensions;
        form->flags = NPY_ARRAY_ALIGNED | (writable ? NPY_ARRAY_WRITEABLE : 0);
        if (layout[0] == 'C') form->flags |= NPY_ARRAY_C_CONTIGUOUS;
        if (layout[0] == 'F') form->flags |= NPY_ARRAY_F_CONTIGUOUS;
        Py_DECREF(found);
    }
    Py_DECREF(words);
    return read ? 0 : -1;
}

static int read_form(PyObject *said, Form *form) {
    if (PyUnicode_Check(said)) {
        if (PyUnicode_CompareWithASCIIString(said, "int") == 0) form->kind = INT;
        else if (PyUnicode_CompareWithASCIIString(said, "float") == 0) form->kind = FLOAT;
        else form->kind = BOOL;
        return 0;
    }
    PyObject *kind = PySequence_GetItem(said, 0);
    if (kind == NULL) return -1;
    int array = PyUnicode_Check(kind) && PyUnicode_CompareWithASCIIString(kind, "array") == 0;
    Py_DECREF(kind);
    return array ? read_array(said, form) : read_parts(said, 1, form);
}

static int fits(const Form *form, PyObject *value) {
    switch (form->kind) {
    case INT:
        return PyLong_CheckExact(value) || PyArray_IsScalar(value, Integer);
    case FLOAT:
        return PyFloat_Check(value) || PyLong_Check(value) || PyArray_IsScalar(value, Integer) ||
               PyArray_IsScalar(value, Floating);
    case BOOL:
        return PyBool_Check(value) || PyArray_IsScalar(value, Bool);
    case ARRAY: {
        if (!PyArray_CheckExact(value)) return 0;
        PyArrayObject *array = (PyArrayObject *)value;
        return PyArray_NDIM(array) == form->dimensions &&
               (PyArray_FLAGS(array) & form->flags) == form->flags &&
               (PyArray_TYPE(array) == form->type || PyArray_EquivTypenums(PyArray_TYPE(array), form->type)) &&
               PyArray_ISNOTSWAPPED(array);
    }
    default:
        if (!PyTuple_Check(value) || PyTuple_GET_SIZE(value) != form->count) return 0;
        for (Py_ssize_t i = 0; i < form->count; i++)
            if (!fits(&form->parts[i], PyTuple_GET_ITEM(value, i))) return 0;
        return 1;
    }
}

static PyObject *call(PyObject *self, PyObject *arguments, PyObject *named) {
    Call *one = (Call *)self;
    int good = named == NULL && fits(one->arguments, arguments);
    return PyObject_Call(good ? one->function : one->otherwise, arguments, named);
}

static PyObject *make(PyTypeObject *type, PyObject *arguments, PyObject *Py_UNUSED(named)) {
    PyObject *function, *forms, *otherwise;
    if (!PyArg_ParseTuple(arguments, "OOO", &function, &forms, &otherwise)) return NULL;
    Call *self = (Call *)type->tp_alloc(type, 0);
    if (self == NULL) return NULL;
    self->function = Py_NewRef(function);
    self->otherwise = Py_NewRef(otherwise);
    self->arguments = PyMem_Calloc(1, sizeof(Form));
    if (self->arguments == NULL || read_parts(forms, 0, self->arguments)) {
        Py_DECREF(self);
        return PyErr_Occurred() ? NULL : PyErr_NoMemory();
    }
    return (PyObject *)self;
}

/* Kernels are made once in a process and live as long: what their forms hold is not given back. */
static void release(PyObject *self) {
    Call *one = (Call *)self;
    Py_XDECREF(one->function);
    Py_XDECREF(one->otherwise);
    Py_TYPE(self)->tp_free(self);
}

static PyTypeObject CallType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "kernel_calls.Call",
    .tp_basicsize = sizeof(Call),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_doc = "Call(function, forms, otherwise): the function for arguments of these forms, else the other.",
    .tp_new = make,
    .tp_dealloc = release,
    .tp_call = call,
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "kernel_calls", NULL, -1, NULL};

__attribute__((visibility("default"))) PyObject *PyInit_kernel_calls(void) {
    import_array();
    if (PyType_Ready(&CallType) < 0) return NULL;
    PyObject *module = PyModule_Create(&definition);
    if (module == NULL) return NULL;
    if (PyModule_AddObjectRef(module, "Call", (PyObject *)&CallType) < 0) {
        Py_DECREF(module);
        return NULL;
    }
    return module;
}
