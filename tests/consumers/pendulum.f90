! The same program in Fortran, by iso_c_binding.
module taut
  use iso_c_binding
  implicit none
  integer(c_int), parameter :: taut_position = 1
  type, bind(c) :: taut_run
    integer(c_size_t) :: size = 0
    real(c_double) :: h = 0, until = 0
    integer(c_long) :: every = 0
    type(c_ptr) :: columns = c_null_ptr
    integer(c_size_t) :: column_count = 0
    type(c_ptr) :: rows = c_null_ptr
    integer(c_size_t) :: row_capacity = 0, row_count = 0
    type(c_ptr) :: file = c_null_ptr
    integer(c_int) :: replace = 0, stopped = 0
    type(c_funptr) :: before = c_null_funptr, after = c_null_funptr
    type(c_ptr) :: user = c_null_ptr, interrupt = c_null_ptr
  end type
  interface
    function taut_context_create(allocator) bind(c)
      import
      type(c_ptr), value :: allocator
      type(c_ptr) :: taut_context_create
    end function
    subroutine taut_context_destroy(context) bind(c)
      import
      type(c_ptr), value :: context
    end subroutine
    function taut_model_load_text(context, name, text, size, settings, count, model) bind(c)
      import
      type(c_ptr), value :: context, settings
      character(kind=c_char), intent(in) :: name(*), text(*)
      integer(c_size_t), value :: size, count
      type(c_ptr), intent(out) :: model
      integer(c_int) :: taut_model_load_text
    end function
    subroutine taut_model_release(model) bind(c)
      import
      type(c_ptr), value :: model
    end subroutine
    function taut_simulation_create(context, model, options, simulation) bind(c)
      import
      type(c_ptr), value :: context, model, options
      type(c_ptr), intent(out) :: simulation
      integer(c_int) :: taut_simulation_create
    end function
    subroutine taut_simulation_release(simulation) bind(c)
      import
      type(c_ptr), value :: simulation
    end subroutine
    function taut_advance(simulation, run) bind(c)
      import
      type(c_ptr), value :: simulation
      type(taut_run), intent(inout) :: run
      integer(c_int) :: taut_advance
    end function
    function taut_get(simulation, kind, first, count, high, low) bind(c)
      import
      type(c_ptr), value :: simulation, low
      integer(c_int), value :: kind
      integer(c_size_t), value :: first, count
      real(c_double), intent(out) :: high(*)
      integer(c_int) :: taut_get
    end function
  end interface
end module

program pendulum
  use taut
  implicit none
  character(*), parameter :: line = new_line('a')
  character(kind=c_char, len=*), parameter :: text = "local a = point('a', 2)" // line // &
    "lagrangian(norm2(a.dot)/2 - 9.81*a.y)" // line // "constraint('rod', norm2(a) - 1)" // line // "start { a = {1, 0} }"
  type(c_ptr) :: context, model, simulation
  type(taut_run) :: run
  real(c_double) :: a(2)
  context = taut_context_create(c_null_ptr)
  if (taut_model_load_text(context, "pendulum" // c_null_char, text, len(text, c_size_t), c_null_ptr, 0_c_size_t, model) &
      /= 0) error stop "load"
  if (taut_simulation_create(context, model, c_null_ptr, simulation) /= 0) error stop "create"
  run%size = c_sizeof(run)
  run%h = 0.01d0
  run%until = 1
  if (taut_advance(simulation, run) /= 0) error stop "advance"
  if (taut_get(simulation, taut_position, 0_c_size_t, 2_c_size_t, a, c_null_ptr) /= 0) error stop "get"
  call taut_simulation_release(simulation)
  call taut_model_release(model)
  call taut_context_destroy(context)
  print '("x = ", f9.6, "  y = ", f9.6)', a
end program
