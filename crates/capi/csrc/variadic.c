/*
** The functions of the C interface that take a variable number of arguments: Rust cannot define them.
**
** Each one wraps its va_list and hands it to Rust, which takes the arguments one by one through lithe_arg_*.
** They are named lithe_c_*, because a linker would not export sqlite3_* symbols of a C object from the shared
** library; the exported symbols are jumps to these (src/variadic.rs).
*/
#include <stdarg.h>
#include <stddef.h>

typedef struct { va_list list; } lithe_args;
typedef struct sqlite3 sqlite3;
typedef struct sqlite3_str sqlite3_str;

int lithe_arg_int(lithe_args *args) { return va_arg(args->list, int); }
long lithe_arg_long(lithe_args *args) { return va_arg(args->list, long); }
long long lithe_arg_int64(lithe_args *args) { return va_arg(args->list, long long); }
double lithe_arg_double(lithe_args *args) { return va_arg(args->list, double); }
void *lithe_arg_pointer(lithe_args *args) { return va_arg(args->list, void *); }

char *lithe_mprintf(const char *format, lithe_args *args);
char *lithe_snprintf(int n, char *buffer, const char *format, lithe_args *args);
void lithe_str_appendf(sqlite3_str *str, const char *format, lithe_args *args);
void lithe_log(int code, const char *format, lithe_args *args);
int lithe_config(int op, lithe_args *args);
int lithe_db_config(sqlite3 *db, int op, lithe_args *args);
int lithe_vtab_config(sqlite3 *db, int op, lithe_args *args);
int lithe_test_control(int op, lithe_args *args);

char *lithe_c_mprintf(const char *format, ...) {
  lithe_args args;
  char *result;
  va_start(args.list, format);
  result = lithe_mprintf(format, &args);
  va_end(args.list);
  return result;
}

char *lithe_c_vmprintf(const char *format, va_list list) {
  lithe_args args;
  char *result;
  va_copy(args.list, list);
  result = lithe_mprintf(format, &args);
  va_end(args.list);
  return result;
}

char *lithe_c_snprintf(int n, char *buffer, const char *format, ...) {
  lithe_args args;
  char *result;
  va_start(args.list, format);
  result = lithe_snprintf(n, buffer, format, &args);
  va_end(args.list);
  return result;
}

char *lithe_c_vsnprintf(int n, char *buffer, const char *format, va_list list) {
  lithe_args args;
  char *result;
  va_copy(args.list, list);
  result = lithe_snprintf(n, buffer, format, &args);
  va_end(args.list);
  return result;
}

void lithe_c_str_appendf(sqlite3_str *str, const char *format, ...) {
  lithe_args args;
  va_start(args.list, format);
  lithe_str_appendf(str, format, &args);
  va_end(args.list);
}

void lithe_c_str_vappendf(sqlite3_str *str, const char *format, va_list list) {
  lithe_args args;
  va_copy(args.list, list);
  lithe_str_appendf(str, format, &args);
  va_end(args.list);
}

void lithe_c_log(int code, const char *format, ...) {
  lithe_args args;
  va_start(args.list, format);
  lithe_log(code, format, &args);
  va_end(args.list);
}

int lithe_c_config(int op, ...) {
  lithe_args args;
  int result;
  va_start(args.list, op);
  result = lithe_config(op, &args);
  va_end(args.list);
  return result;
}

int lithe_c_db_config(sqlite3 *db, int op, ...) {
  lithe_args args;
  int result;
  va_start(args.list, op);
  result = lithe_db_config(db, op, &args);
  va_end(args.list);
  return result;
}

int lithe_c_vtab_config(sqlite3 *db, int op, ...) {
  lithe_args args;
  int result;
  va_start(args.list, op);
  result = lithe_vtab_config(db, op, &args);
  va_end(args.list);
  return result;
}

int lithe_c_test_control(int op, ...) {
  lithe_args args;
  int result;
  va_start(args.list, op);
  result = lithe_test_control(op, &args);
  va_end(args.list);
  return result;
}
