import { forgetPerson } from '../../audit/people.ts'
import type { Ctx } from '../../context.ts'
import { defineJob } from '../../jobs/job.ts'
import { eraseUser, listDue } from '../../users/deletion.ts'
import { deleteKeptAnswers, deleteMailTo, listFormerAddresses } from './store.ts'

const BATCH = 100

/**
 * Erases the people whose time to change their mind is over. Each goes in a transaction of their own, so that wherever
 * it stops, some are gone entirely and the others not at all.
 */
export const erasePeople = defineJob<unknown>({
  name: 'erase_people',
  schedule: '41 * * * *',
  async run(ctx) {
    let due: string[]
    do {
      due = await listDue(ctx, BATCH)
      for (const userId of due) await erase(ctx, userId)
    } while (due.length === BATCH)
  },
})

/** Most hangs on the person and goes with them; this also finds what does not. That something happened stays in the log. */
const erase = (ctx: Ctx, userId: string): Promise<void> =>
  ctx.db.transaction().execute((tx) =>
    eraseUser(ctx, tx, {
      id: userId,
      async forget(email) {
        const addresses = [email, ...(await listFormerAddresses(tx, userId))]
        await deleteMailTo(tx, addresses)
        await deleteKeptAnswers(tx, userId)
        await forgetPerson(ctx, tx, { userId, addresses })
      },
    }),
  )
