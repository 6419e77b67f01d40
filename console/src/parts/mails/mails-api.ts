import type { Input, Reply } from '@latchkey/client'
import type { QueryKey } from '@tanstack/react-query'
import { call } from '../../api/api.ts'

export type MailTemplate = Reply<'GET /api/admin/mail-templates/{kind}'>
export type MailDraft = NonNullable<Input<'PUT /api/admin/mail-templates/{kind}'>['body']>
/** A draft for a preview or a test mail, which may name a language. */
export type LocalizedDraft = NonNullable<Input<'POST /api/admin/mail-templates/{kind}/preview'>['body']>
export type MailLanguage = NonNullable<LocalizedDraft['language']>
export type MailPreview = Reply<'POST /api/admin/mail-templates/{kind}/preview'>

/** The tenant whose mails these are; undefined: the instance. */
export type MailOwner = string | undefined

export const mailsKey = (owner: MailOwner): QueryKey => ['mail-templates', owner ?? null]

/** The instance and tenants have the same API under different paths. */
export const mailsApi = (owner: MailOwner) => (owner === undefined ? instanceApi : tenantApi(owner))

const instanceApi = {
  list: () => call('GET /api/admin/mail-templates', {}),
  read: (kind: string) => call('GET /api/admin/mail-templates/{kind}', { path: { kind } }),
  save: (kind: string, body: MailDraft) => call('PUT /api/admin/mail-templates/{kind}', { path: { kind }, body }),
  reset: (kind: string) => call('DELETE /api/admin/mail-templates/{kind}', { path: { kind } }),
  preview: (kind: string, body: LocalizedDraft) =>
    call('POST /api/admin/mail-templates/{kind}/preview', { path: { kind }, body }),
  sendTest: (kind: string, body: LocalizedDraft) =>
    call('POST /api/admin/mail-templates/{kind}/test', { path: { kind }, body }),
}

const tenantApi = (id: string): typeof instanceApi => ({
  list: () => call('GET /api/tenants/{id}/mail-templates', { path: { id } }),
  read: (kind) => call('GET /api/tenants/{id}/mail-templates/{kind}', { path: { id, kind } }),
  save: (kind, body) => call('PUT /api/tenants/{id}/mail-templates/{kind}', { path: { id, kind }, body }),
  reset: (kind) => call('DELETE /api/tenants/{id}/mail-templates/{kind}', { path: { id, kind } }),
  preview: (kind, body) => call('POST /api/tenants/{id}/mail-templates/{kind}/preview', { path: { id, kind }, body }),
  sendTest: (kind, body) => call('POST /api/tenants/{id}/mail-templates/{kind}/test', { path: { id, kind }, body }),
})
