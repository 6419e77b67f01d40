import { erasePersonalData } from '../../audit/personal-data.ts'
import type { Ctx } from '../../context.ts'
import { defineJob } from '../../jobs/job.ts'
import { eraseUser, listUsersDueForErasure } from '../../users/deletion.ts'
import { deleteIdempotencyKeys, deleteMailTo, listFormerAddresses } from './store.ts'

const BATCH_SIZE = 100

/** Erases accounts after the grace period. Each account has its own transaction, so that none is erased partially. */
export const eraseDueAccounts = defineJob<unknown>({
  name: 'erase_people',
  schedule: '41 * * * *',
  async run(ctx) {
    let due: string[]
    do {
      due = await listUsersDueForErasure(ctx, BATCH_SIZE)
      for (const userId of due) await eraseAccount(ctx, userId)
    } while (due.length === BATCH_SIZE)
  },
})

/** Most rows cascade from the user row; the others are deleted here. Audit entries stay, without their personal data. */
const eraseAccount = (ctx: Ctx, userId: string): Promise<void> =>
  ctx.db.transaction().execute((tx) =>
    eraseUser(ctx, tx, {
      id: userId,
      async eraseRelated(email) {
        const addresses = [email, ...(await listFormerAddresses(tx, userId))]
        await deleteMailTo(tx, addresses)
        await deleteIdempotencyKeys(tx, userId)
        await erasePersonalData(ctx, tx, { userId, addresses })
      },
    }),
  )
