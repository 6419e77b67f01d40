import { AsyncLocalStorage } from 'node:async_hooks'
import type { TransactionBuilder } from 'kysely'
import type { Db } from '../../src/db/open.ts'
import type { Tables } from '../../src/db/tables.ts'
import { watchSlowWork } from '../../src/lib/concurrency/slow-work.ts'

const insideTransaction = new AsyncLocalStorage<true>()
let running = 0

/** Runs the work of a transaction with the mark. It makes every promise slower, so it is off without a transaction. */
async function runMarked<T>(work: () => Promise<T>): Promise<T> {
  running++
  try {
    return await insideTransaction.run(true, work)
  } finally {
    if (--running === 0) insideTransaction.disable()
  }
}

/** Makes slow work throw inside a transaction of this database. */
export function forbidSlowWorkInTransactions(db: Db): void {
  watchSlowWork((work) => {
    if (insideTransaction.getStore()) throw new Error(`${work} inside a transaction`)
  })
  const begin = db.transaction.bind(db)
  db.transaction = () => markTransaction(begin())
}

function markTransaction(builder: TransactionBuilder<Tables>): TransactionBuilder<Tables> {
  const execute = builder.execute.bind(builder)
  builder.execute = (work) => execute((tx) => runMarked(() => work(tx)))
  const setIsolationLevel = builder.setIsolationLevel.bind(builder)
  builder.setIsolationLevel = (level) => markTransaction(setIsolationLevel(level))
  const setAccessMode = builder.setAccessMode.bind(builder)
  builder.setAccessMode = (accessMode) => markTransaction(setAccessMode(accessMode))
  return builder
}
