/** Things to close, last opened first. Closing twice closes once. */
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
          // It must not keep the others, the database among them, from closing.
          errors.push(error)
        }
      }
      if (errors.length > 0) throw errors[0]
    },
  }
}
