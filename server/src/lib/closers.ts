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
      for (let close = open.pop(); close; close = open.pop()) await close()
    },
  }
}
