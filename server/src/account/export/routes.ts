import { defineRoute } from '../../http/define-route.ts'
import { exportPersonalData } from './personal-data.ts'
import { PersonalData } from './schema.ts'

export const exportRoutes = [
  defineRoute({
    method: 'GET',
    path: '/api/users/me/export',
    tag: 'My account',
    summary: 'Everything that is kept about you, to take along',
    caller: 'person',
    reply: { 200: PersonalData },
    handler: async (ctx, { caller, request, reply }) => {
      const data = await exportPersonalData(ctx, { userId: caller.userId, request })
      reply.header('Content-Disposition', 'attachment; filename="latchkey-personal-data.json"')
      return data
    },
  }),
]
