import { OWN_FIGURES } from '../../http/metrics-of-all.ts'
import type { Conversation } from '../../lib/conversation.ts'
import { addUp, countedIn, type Families, readFamilies, writeFamilies } from '../../lib/exposition.ts'
import { shareFor } from '../../lib/share-for.ts'

/** The figures of all workers, put together. */
export interface Ledger {
  /** Counts a worker in; what is returned counts it out. */
  add(worker: Conversation): () => void
  /** As Prometheus reads them. */
  tell(): Promise<string>
}

/** The figures of a worker that is slower than this are those it told last. */
const PATIENCE_MS = 3_000

interface Account {
  worker: Conversation
  counted: Families
}

/**
 * What was counted once stays counted: a sum that fell when a worker dies would look like a service that began anew,
 * and all it ever counted like the work of a moment.
 */
export function openLedger(): Ledger {
  const accounts = new Set<Account>()
  let past: Families = new Map()
  const ask = async (account: Account): Promise<Families | undefined> => {
    try {
      const families = readFamilies(await account.worker.ask(OWN_FIGURES, PATIENCE_MS))
      account.counted = countedIn(families)
      return families
    } catch {
      return undefined
    }
  }
  return {
    add(worker) {
      const account = { worker, counted: new Map() }
      accounts.add(account)
      return () => {
        if (accounts.delete(account)) past = addUp([past, account.counted])
      }
    },
    tell: shareFor(1_000, async () => {
      const asked = [...accounts]
      const answers = await Promise.all(asked.map(ask))
      const told = asked.map((account, index) => answers[index] ?? account.counted)
      // Those who died meanwhile are in the past by now.
      const now = told.filter((_families, index) => accounts.has(asked[index] as Account))
      return writeFamilies(addUp([...now, past, countWorkers(answers)]))
    }),
  }
}

const countWorkers = (answers: unknown[]): Families =>
  readFamilies(
    [
      '# HELP latchkey_workers Processes of the service that told their figures',
      '# TYPE latchkey_workers gauge',
      `latchkey_workers ${answers.filter((answer) => answer !== undefined).length}`,
    ].join('\n'),
  )
