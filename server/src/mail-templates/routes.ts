import { toAuditSource } from '../audit/record.ts'
import type { ErrorCode } from '../errors.ts'
import { defineRoute } from '../http/routing/define-route.ts'
import { ActionResult } from '../http/routing/schema.ts'
import { previewMail, sendTestMail } from './preview.ts'
import {
  ByKind,
  MailPreview,
  MailTemplateBody,
  MailTemplateDraft,
  MailTemplateList,
  MailTemplateTexts,
} from './schema.ts'
import { getMailTemplate, listMailTemplates, requireKind, setMailTemplate } from './service.ts'
import { lockTemplates } from './store.ts'
import { tenantMailTemplatesRoutes } from './tenant-routes.ts'

/** The texts of the whole instance. */
const OWNER = undefined
const PATH = '/api/admin/mail-templates'

const common = {
  tag: 'Administration',
  caller: 'administrator',
  path: `${PATH}/:kind`,
  params: ByKind,
  errors: ['MAIL_TEMPLATE_NOT_FOUND'] as ErrorCode[],
} as const

const instanceMailTemplatesRoutes = [
  defineRoute({
    method: 'GET',
    path: PATH,
    operationId: 'listMailTemplates',
    tag: 'Administration',
    summary: 'Lists the texts of all mails',
    caller: 'administrator',
    reply: { 200: MailTemplateList },
    handler: async (ctx) => ({ mailTemplates: await listMailTemplates(ctx.db, OWNER) }),
  }),
  defineRoute({
    ...common,
    method: 'GET',
    operationId: 'getMailTemplate',
    summary: 'Shows the texts of a mail',
    reply: { 200: MailTemplateBody },
    handler: (ctx, { params }) => getMailTemplate(ctx.db, OWNER, requireKind(OWNER, params.kind)),
  }),
  defineRoute({
    ...common,
    method: 'PUT',
    operationId: 'setMailTemplate',
    summary: 'Replaces the texts of a mail; a text that is left out is the default',
    body: MailTemplateTexts,
    reply: { 200: MailTemplateBody },
    handler: (ctx, { params, body: input, caller, request }) => {
      const kind = requireKind(OWNER, params.kind)
      return ctx.db.transaction().execute(async (tx) => {
        await lockTemplates(tx)
        return setMailTemplate(ctx, tx, { owner: OWNER, kind, input, source: toAuditSource(caller, request) })
      })
    },
  }),
  defineRoute({
    ...common,
    method: 'DELETE',
    operationId: 'deleteMailTemplate',
    summary: 'Returns the texts of a mail to the default',
    reply: { 200: ActionResult },
    async handler(ctx, { params, caller, request }) {
      const kind = requireKind(OWNER, params.kind)
      await ctx.db.transaction().execute(async (tx) => {
        await lockTemplates(tx)
        await setMailTemplate(ctx, tx, { owner: OWNER, kind, input: {}, source: toAuditSource(caller, request) })
      })
      return { success: true, message: 'Default texts restored' }
    },
  }),
  defineRoute({
    ...common,
    method: 'POST',
    path: `${PATH}/:kind/preview`,
    operationId: 'previewMailTemplate',
    summary: 'Renders a mail with these texts and sample values; nothing is saved or sent',
    body: MailTemplateDraft,
    reply: { 200: MailPreview },
    handler: (ctx, { params, body: input, caller, request }) =>
      previewMail(ctx, ctx.db, { owner: OWNER, kind: requireKind(OWNER, params.kind), input, caller, request }),
  }),
  defineRoute({
    ...common,
    method: 'POST',
    path: `${PATH}/:kind/test`,
    operationId: 'sendTestMail',
    summary: 'Sends a mail with these texts and sample values to the address of the caller',
    body: MailTemplateDraft,
    errors: ['MAIL_TEMPLATE_NOT_FOUND', 'EMAIL_NOT_VERIFIED', 'RATE_LIMITED'],
    reply: { 200: ActionResult },
    async handler(ctx, { params, body: input, caller, request }) {
      const draft = { owner: OWNER, kind: requireKind(OWNER, params.kind), input, caller, request }
      const address = await ctx.db.transaction().execute((tx) => sendTestMail(ctx, tx, draft))
      return { success: true, message: `Test mail sent to ${address}` }
    },
  }),
]

export const mailTemplatesRoutes = [...instanceMailTemplatesRoutes, ...tenantMailTemplatesRoutes]
