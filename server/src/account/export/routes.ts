import { countAgainstLimit } from '../../db/limiter.ts'
import { defineRoute } from '../../http/routing/define-route.ts'
import { exportPersonalData } from './personal-data.ts'
import { PersonalData } from './schema.ts'

/** An export takes much time and memory. */
const LIMIT = { name: 'export', max: 20, seconds: 3_600 }

export const exportRoutes = [
  defineRoute({
    method: 'GET',
    path: '/api/users/me/export',
    operationId: 'exportMyData',
    tag: 'My account',
    summary: 'Exports all personal data of your account',
    caller: 'person',
    reply: { 200: PersonalData },
    admission: 'personal_exports',
    handler: async (ctx, { caller, request, reply }) => {
      await countAgainstLimit(ctx.db, LIMIT, caller.userId)
      const data = await exportPersonalData(ctx, { userId: caller.userId, request })
      reply.header('Content-Disposition', 'attachment; filename="latchkey-personal-data.json"')
      return data
    },
  }),
]
