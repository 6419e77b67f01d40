/** A value that components subscribe to. */
export interface Store<T> {
  getState(): T
  subscribe(listener: () => void): () => void
}

export interface WritableStore<T> extends Store<T> {
  setState(next: T): void
}

export function createStore<T>(initial: T): WritableStore<T> {
  const listeners = new Set<() => void>()
  let state = initial
  return {
    getState: () => state,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    setState(next) {
      state = next
      for (const listener of listeners) listener()
    },
  }
}
