import { toAuditSource } from '../../audit/record.ts'
import { defineRoute } from '../../http/routing/define-route.ts'
import { ActionResult } from '../../http/routing/schema.ts'
import { ById } from '../schema.ts'
import {
  CreatedRegistrationToken,
  NewRegistrationToken,
  type RegistrationTokenBody,
  RegistrationTokenPage,
  RegistrationTokenQuery,
} from './schema.ts'
import {
  createRegistrationToken,
  getRegistrationTokenPage,
  type RegistrationToken,
  revokeRegistrationToken,
} from './service.ts'

const common = { tag: 'Administration', caller: 'administrator' } as const

const toBody = ({ expiresAt, createdAt, ...token }: RegistrationToken): RegistrationTokenBody => ({
  ...token,
  expiresAt: expiresAt.toISOString(),
  createdAt: createdAt.toISOString(),
})

export const registrationTokenRoutes = [
  defineRoute({
    ...common,
    method: 'GET',
    path: '/api/admin/registration-tokens',
    operationId: 'listRegistrationTokens',
    summary: 'Lists the tokens with which clients may register themselves, the newest first',
    query: RegistrationTokenQuery,
    reply: { 200: RegistrationTokenPage },
    async handler(ctx, { query }) {
      const { registrationTokens, pagination } = await getRegistrationTokenPage(ctx, query)
      const { clientRegistration } = ctx.config
      return { registrationTokens: registrationTokens.map(toBody), clientRegistration, pagination }
    },
  }),
  defineRoute({
    ...common,
    method: 'POST',
    path: '/api/admin/registration-tokens',
    operationId: 'createRegistrationToken',
    summary: 'Creates a token with which clients may register themselves; it is shown only once',
    idempotent: true,
    body: NewRegistrationToken,
    reply: { 201: CreatedRegistrationToken },
    async handler(ctx, { body, caller, request }) {
      const { created, token } = await createRegistrationToken(ctx, body, toAuditSource(caller, request))
      return { ...toBody(created), registrationToken: token }
    },
  }),
  defineRoute({
    ...common,
    method: 'DELETE',
    path: '/api/admin/registration-tokens/:id',
    operationId: 'deleteRegistrationToken',
    summary: 'Revokes a registration token; the clients that registered with it stay',
    params: ById,
    reply: { 200: ActionResult },
    errors: ['REGISTRATION_TOKEN_NOT_FOUND'],
    async handler(ctx, { params, caller, request }) {
      await revokeRegistrationToken(ctx, params.id, toAuditSource(caller, request))
      return { success: true, message: 'Registration token revoked' }
    },
  }),
]
