import { createLimiter } from '../../db/limiter.ts'
import { tooManyAttempts } from '../../errors.ts'
import { defineRoute } from '../../http/define-route.ts'
import { exportPersonalData } from './personal-data.ts'
import { PersonalData } from './schema.ts'

/** It takes a while, and much memory, to put together. */
const LIMIT = { name: 'export', most: 20, seconds: 3_600 }

export const exportRoutes = [
  defineRoute({
    method: 'GET',
    path: '/api/users/me/export',
    tag: 'My account',
    summary: 'Everything that is kept about you, to take along',
    caller: 'person',
    reply: { 200: PersonalData },
    admission: 'personal_exports',
    handler: async (ctx, { caller, request, reply }) => {
      const wait = await createLimiter(ctx.db, LIMIT).count(caller.userId)
      if (wait !== undefined) throw tooManyAttempts(wait)
      const data = await exportPersonalData(ctx, { userId: caller.userId, request })
      reply.header('Content-Disposition', 'attachment; filename="latchkey-personal-data.json"')
      return data
    },
  }),
]
