/** Closes resources in reverse order of opening. A second `close` does nothing. */
export interface Closers {
  add(close: () => Promise<void> | void): void
  close(): Promise<void>
}

export function createClosers(): Closers {
  const open: (() => Promise<void> | void)[] = []
  return {
    add: (close) => void open.push(close),
    async close() {
      const errors: unknown[] = []
      for (let close = open.pop(); close; close = open.pop()) {
        try {
          await close()
        } catch (error) {
          // Close the remaining resources as well, such as the database.
          errors.push(error)
        }
      }
      if (errors.length > 0) throw errors[0]
    },
  }
}
