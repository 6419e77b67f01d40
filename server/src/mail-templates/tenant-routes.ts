import { toAuditSource } from '../audit/record.ts'
import type { ErrorCode } from '../errors.ts'
import { defineRoute } from '../http/routing/define-route.ts'
import { ActionResult } from '../http/routing/schema.ts'
import { PERMISSIONS } from '../tenants/permissions.ts'
import { previewMail, sendTestMail } from './preview.ts'
import {
  ByTenant,
  ByTenantAndKind,
  MailPreview,
  MailTemplateBody,
  MailTemplateDraft,
  MailTemplateList,
  MailTemplateTexts,
} from './schema.ts'
import { getMailTemplate, listMailTemplates, requireKind, setMailTemplate } from './service.ts'

const PATH = '/api/tenants/:id/mail-templates'

const common = {
  tag: 'Tenants',
  caller: 'member',
  roles: PERMISSIONS.editMails.roles,
  path: `${PATH}/:kind`,
  params: ByTenantAndKind,
  errors: ['MAIL_TEMPLATE_NOT_FOUND'] as ErrorCode[],
} as const

export const tenantMailTemplatesRoutes = [
  defineRoute({
    method: 'GET',
    path: PATH,
    operationId: 'listTenantMailTemplates',
    tag: 'Tenants',
    summary: 'Lists the texts of the mails of a tenant',
    caller: 'member',
    roles: PERMISSIONS.editMails.roles,
    params: ByTenant,
    reply: { 200: MailTemplateList },
    handler: async (_ctx, { tx, caller: { tenantId } }) => ({
      mailTemplates: await listMailTemplates(tx, { tenantId }),
    }),
  }),
  defineRoute({
    ...common,
    method: 'GET',
    operationId: 'getTenantMailTemplate',
    summary: 'Shows the texts of a mail of a tenant',
    reply: { 200: MailTemplateBody },
    handler: (_ctx, { tx, params, caller: { tenantId } }) => {
      const owner = { tenantId }
      return getMailTemplate(tx, owner, requireKind(owner, params.kind))
    },
  }),
  defineRoute({
    ...common,
    method: 'PUT',
    operationId: 'setTenantMailTemplate',
    summary: 'Replaces the texts of a mail of a tenant; a text that is left out is that of the instance',
    body: MailTemplateTexts,
    reply: { 200: MailTemplateBody },
    handler: (ctx, { tx, params, body: input, caller, request }) => {
      const owner = { tenantId: caller.tenantId }
      const kind = requireKind(owner, params.kind)
      return setMailTemplate(ctx, tx, { owner, kind, input, source: toAuditSource(caller, request) })
    },
  }),
  defineRoute({
    ...common,
    method: 'DELETE',
    operationId: 'deleteTenantMailTemplate',
    summary: 'Returns the texts of a mail of a tenant to those of the instance',
    reply: { 200: ActionResult },
    async handler(ctx, { tx, params, caller, request }) {
      const owner = { tenantId: caller.tenantId }
      const kind = requireKind(owner, params.kind)
      await setMailTemplate(ctx, tx, { owner, kind, input: {}, source: toAuditSource(caller, request) })
      return { success: true, message: 'Default texts restored' }
    },
  }),
  defineRoute({
    ...common,
    method: 'POST',
    path: `${PATH}/:kind/preview`,
    operationId: 'previewTenantMailTemplate',
    summary: 'Renders a mail of a tenant with these texts and sample values; nothing is saved or sent',
    body: MailTemplateDraft,
    reply: { 200: MailPreview },
    handler: (ctx, { tx, params, body: input, caller, request }) => {
      const owner = { tenantId: caller.tenantId }
      return previewMail(ctx, tx, { owner, kind: requireKind(owner, params.kind), input, caller, request })
    },
  }),
  defineRoute({
    ...common,
    method: 'POST',
    path: `${PATH}/:kind/test`,
    operationId: 'sendTenantTestMail',
    summary: 'Sends a mail of a tenant with these texts and sample values to the address of the caller',
    body: MailTemplateDraft,
    errors: ['MAIL_TEMPLATE_NOT_FOUND', 'EMAIL_NOT_VERIFIED', 'RATE_LIMITED'],
    reply: { 200: ActionResult },
    async handler(ctx, { tx, params, body: input, caller, request }) {
      const owner = { tenantId: caller.tenantId }
      const draft = { owner, kind: requireKind(owner, params.kind), input, caller, request }
      return { success: true, message: `Test mail sent to ${await sendTestMail(ctx, tx, draft)}` }
    },
  }),
]
