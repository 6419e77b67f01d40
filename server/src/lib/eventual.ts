/** What is there already, or will be. To wait for what is there costs more than to look at it. */
export type Eventual<T> = T | Promise<T>

/** Goes on at once with what is there, and with what is not when it is. */
export function whenThere<T, R>(value: Eventual<T>, next: (value: T) => Eventual<R>): Eventual<R> {
  return value instanceof Promise ? value.then(next) : next(value)
}
