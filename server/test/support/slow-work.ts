import { AsyncLocalStorage } from 'node:async_hooks'
import type { TransactionBuilder } from 'kysely'
import type { Db } from '../../src/db/open.ts'
import type { Tables } from '../../src/db/tables.ts'
import { watchSlowWork } from '../../src/lib/slow-work.ts'

const insideTransaction = new AsyncLocalStorage<true>()

/** Makes slow work throw when it begins inside a transaction of this database: it would hold a connection. */
export function forbidSlowWorkInTransactions(db: Db): void {
  watchSlowWork((work) => {
    if (insideTransaction.getStore()) throw new Error(`${work} inside a transaction`)
  })
  const begin = db.transaction.bind(db)
  db.transaction = () => mark(begin())
}

function mark(builder: TransactionBuilder<Tables>): TransactionBuilder<Tables> {
  const execute = builder.execute.bind(builder)
  builder.execute = (work) => execute((tx) => insideTransaction.run(true, () => work(tx)))
  const setIsolationLevel = builder.setIsolationLevel.bind(builder)
  builder.setIsolationLevel = (level) => mark(setIsolationLevel(level))
  const setAccessMode = builder.setAccessMode.bind(builder)
  builder.setAccessMode = (accessMode) => mark(setAccessMode(accessMode))
  return builder
}
