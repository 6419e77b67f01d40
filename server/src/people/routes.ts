import { ConsentList, InTenant, WithdrawnConsents } from '../applications/consents/consent-body.ts'
import { defineRoute } from '../http/routing/define-route.ts'
import { ActionResult } from '../http/routing/schema.ts'
import { deleteAccount, endSessions, forcePasswordReset, resetFactors, restoreUser } from './account-actions.ts'
import { changeAccount } from './changes.ts'
import { listUserConsents, withdrawUserConsents } from './consents.ts'
import { createAccount } from './creation.ts'
import { listUsers } from './directory.ts'
import {
  ByUserAndApplication,
  ByUserId,
  EndedUserSessions,
  NewUserBody,
  UserChangeBody,
  UserDetails,
  UserPage,
  UserQuery,
} from './schema.ts'
import { getUser } from './service.ts'

const common = { tag: 'Administration', caller: 'administrator' } as const

const toReply = (message: string) => ({ success: true, message })

export const peopleRoutes = [
  defineRoute({
    ...common,
    method: 'GET',
    path: '/api/admin/users',
    operationId: 'listUsers',
    summary: 'Lists and searches everybody who has an account',
    query: UserQuery,
    reply: { 200: UserPage },
    handler: (ctx, { query }) => listUsers(ctx, query),
  }),
  defineRoute({
    ...common,
    method: 'POST',
    path: '/api/admin/users',
    operationId: 'createUser',
    summary: 'Makes an account; without a password, a link to choose one is mailed',
    idempotent: true,
    body: NewUserBody,
    reply: { 201: UserDetails },
    errors: ['EMAIL_TAKEN', 'WEAK_PASSWORD'],
    async handler(ctx, { caller, body, request }) {
      const { id } = await createAccount(ctx, body, { caller, request })
      return getUser(ctx, id)
    },
  }),
  defineRoute({
    ...common,
    method: 'GET',
    path: '/api/admin/users/:id',
    operationId: 'getUser',
    summary: 'Shows an account, its tenants and how many sessions it has',
    params: ByUserId,
    reply: { 200: UserDetails },
    errors: ['USER_NOT_FOUND'],
    handler: (ctx, { params }) => getUser(ctx, params.id),
  }),
  defineRoute({
    ...common,
    method: 'PATCH',
    path: '/api/admin/users/:id',
    operationId: 'updateUser',
    summary: 'Changes, disables or enables an account',
    params: ByUserId,
    body: UserChangeBody,
    reply: { 200: UserDetails },
    errors: ['USER_NOT_FOUND', 'LAST_SUPER_ADMIN', 'OWN_ACCOUNT', 'LAST_LOGIN_METHOD'],
    async handler(ctx, { caller, params, body, request }) {
      await changeAccount(ctx, params.id, body, { caller, request })
      return getUser(ctx, params.id)
    },
  }),
  defineRoute({
    ...common,
    method: 'DELETE',
    path: '/api/admin/users/:id',
    operationId: 'deleteUser',
    summary: 'Deletes an account: every session ends at once, and after 30 days nothing is left of it',
    params: ByUserId,
    reply: { 200: ActionResult },
    errors: ['USER_NOT_FOUND', 'TENANT_OWNER', 'LAST_SUPER_ADMIN', 'OWN_ACCOUNT'],
    async handler(ctx, { caller, params, request }) {
      await deleteAccount(ctx, params.id, { caller, request })
      return toReply('Account scheduled for deletion')
    },
  }),
  defineRoute({
    ...common,
    method: 'POST',
    path: '/api/admin/users/:id/restore',
    operationId: 'restoreUser',
    summary: 'Takes back an account that is about to be deleted',
    params: ByUserId,
    reply: { 200: UserDetails },
    errors: ['USER_NOT_FOUND', 'NOT_SCHEDULED_FOR_DELETION'],
    async handler(ctx, { caller, params, request }) {
      await restoreUser(ctx, params.id, { caller, request })
      return getUser(ctx, params.id)
    },
  }),
  defineRoute({
    ...common,
    method: 'POST',
    path: '/api/admin/users/:id/password-reset',
    operationId: 'sendPasswordReset',
    summary: 'Ends the password and every session, and mails a link to choose another',
    params: ByUserId,
    reply: { 200: ActionResult },
    errors: ['USER_NOT_FOUND'],
    async handler(ctx, { caller, params, request }) {
      const linkSent = await forcePasswordReset(ctx, params.id, { caller, request })
      return toReply(
        linkSent
          ? 'Password ended, link sent'
          : 'Password ended; no link, as the account is disabled or no password opens it',
      )
    },
  }),
  defineRoute({
    ...common,
    method: 'DELETE',
    path: '/api/admin/users/:id/sessions',
    operationId: 'endUserSessions',
    summary: 'Ends every session of somebody, and every token that came from them',
    params: ByUserId,
    reply: { 200: EndedUserSessions },
    errors: ['USER_NOT_FOUND'],
    async handler(ctx, { caller, params, request }) {
      const count = await endSessions(ctx, params.id, { caller, request })
      return { ...toReply('All sessions revoked'), count }
    },
  }),
  defineRoute({
    ...common,
    method: 'DELETE',
    path: '/api/admin/users/:id/mfa',
    operationId: 'removeUserMfa',
    summary: 'Removes authenticator app, recovery codes and passkeys of somebody, and ends every session',
    params: ByUserId,
    reply: { 200: ActionResult },
    errors: ['USER_NOT_FOUND', 'MFA_NOT_ENROLLED'],
    async handler(ctx, { caller, params, request }) {
      await resetFactors(ctx, params.id, { caller, request })
      return toReply('Second factors removed')
    },
  }),
  defineRoute({
    ...common,
    method: 'GET',
    path: '/api/admin/users/:id/consents',
    operationId: 'listUserConsents',
    summary: 'Lists which third-party applications somebody has allowed what',
    params: ByUserId,
    reply: { 200: ConsentList },
    errors: ['USER_NOT_FOUND'],
    handler: async (ctx, { params }) => ({ consents: await listUserConsents(ctx, params.id) }),
  }),
  defineRoute({
    ...common,
    method: 'DELETE',
    path: '/api/admin/users/:id/consents/:applicationId',
    operationId: 'withdrawUserConsent',
    summary: 'Withdraws what somebody has allowed an application, in every tenant or in one; its tokens end',
    params: ByUserAndApplication,
    query: InTenant,
    reply: { 200: ActionResult },
    errors: ['USER_NOT_FOUND', 'CONSENT_NOT_FOUND'],
    async handler(ctx, { caller, params, query, request }) {
      const choice = { applicationId: params.applicationId, ...query }
      await withdrawUserConsents(ctx, params.id, { choice, caller, request })
      return toReply('Consent withdrawn')
    },
  }),
  defineRoute({
    ...common,
    method: 'DELETE',
    path: '/api/admin/users/:id/consents',
    operationId: 'withdrawAllUserConsents',
    summary: 'Withdraws what somebody has allowed all applications; their tokens end',
    params: ByUserId,
    reply: { 200: WithdrawnConsents },
    errors: ['USER_NOT_FOUND'],
    async handler(ctx, { caller, params, request }) {
      const count = await withdrawUserConsents(ctx, params.id, { choice: {}, caller, request })
      return { ...toReply('All consents withdrawn'), count }
    },
  }),
]
