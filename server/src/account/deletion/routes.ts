import { defineRoute } from '../../http/routing/define-route.ts'
import { ActionResult } from '../../http/routing/schema.ts'
import { t } from '../../languages/translate.ts'
import { requestDeletion } from './deletion.ts'
import { DeleteAccountRequest } from './schema.ts'

export const deletionRoutes = [
  defineRoute({
    method: 'DELETE',
    path: '/api/users/me',
    operationId: 'deleteMyAccount',
    tag: 'My account',
    summary: 'Delete the account: every session ends at once, and after 30 days nothing is left of it',
    caller: 'person',
    body: DeleteAccountRequest,
    reply: { 200: ActionResult },
    errors: [
      'INCORRECT_CONFIRMATION',
      'CURRENT_PASSWORD_INCORRECT',
      'REAUTHENTICATION_REQUIRED',
      'TENANT_OWNER',
      'LAST_SUPER_ADMIN',
      'RATE_LIMITED',
    ],
    handler: async (ctx, { caller, body, request, reply }) => {
      await requestDeletion(ctx, { caller, request, reply }, body)
      return { success: true, message: t('Account scheduled for deletion') }
    },
  }),
]
