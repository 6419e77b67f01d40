import { defineRoute } from '../../http/routing/define-route.ts'
import { ActionResult } from '../../http/routing/schema.ts'
import { t } from '../../languages/translate.ts'
import { listLinks, unlinkProvider } from '../../sso/links.ts'
import { SsoLinkRequest, SsoLinkResponse, SsoLinks, SsoProviderName } from './schema.ts'
import { startLinking } from './start-linking.ts'

const common = { tag: 'My account', caller: 'person' } as const

/** The accounts of sign-in providers that are linked to the person's account. */
export const ssoLinkRoutes = [
  defineRoute({
    ...common,
    method: 'GET',
    path: '/api/users/me/sso',
    operationId: 'listMySsoLinks',
    summary: 'Lists the accounts of sign-in providers that are linked to yours',
    reply: { 200: SsoLinks },
    handler: async (ctx, { caller }) => ({
      links: (await listLinks(ctx, caller.userId)).map(({ linkedAt, lastUsedAt, ...link }) => ({
        ...link,
        linkedAt: linkedAt.toISOString(),
        lastUsedAt: lastUsedAt.toISOString(),
      })),
    }),
  }),
  defineRoute({
    ...common,
    method: 'POST',
    path: '/api/users/me/sso/link',
    operationId: 'beginSsoLink',
    summary: 'Begins to link an account of a provider; you must be signed in in the browser you go there with',
    body: SsoLinkRequest,
    reply: { 200: SsoLinkResponse },
    errors: [
      'SSO_PROVIDER_NOT_CONFIGURED',
      'EMAIL_NOT_VERIFIED',
      'REAUTHENTICATION_REQUIRED',
      'SSO_ALREADY_LINKED',
      'RATE_LIMITED',
    ],
    handler: async (ctx, { body: { password, ...link }, ...exchange }) => ({
      url: await startLinking(ctx, exchange, { link, password }),
    }),
  }),
  defineRoute({
    ...common,
    method: 'DELETE',
    path: '/api/users/me/sso/:provider',
    operationId: 'removeSsoLink',
    summary: 'Unlinks the account of a provider',
    params: SsoProviderName,
    reply: { 200: ActionResult },
    errors: ['SSO_LINK_NOT_FOUND', 'PASSWORD_REQUIRED', 'LAST_LOGIN_METHOD'],
    handler: async (ctx, { caller, params, request }) => {
      const label = await unlinkProvider(ctx, { userId: caller.userId, provider: params.provider, request })
      return { success: true, message: t('{provider} account unlinked', { provider: label }) }
    },
  }),
]
