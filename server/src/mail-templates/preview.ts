import type { FastifyRequest } from 'fastify'
import type { Ctx } from '../context.ts'
import { countAgainstLimit } from '../db/limiter.ts'
import type { Db, Tx } from '../db/open.ts'
import { AppError } from '../errors.ts'
import type { Caller } from '../http/routing/callers.ts'
import { currentLanguage, runInLanguage } from '../languages/current-language.ts'
import type { Language } from '../languages/languages.ts'
import { t } from '../languages/translate.ts'
import { toDisplayName } from '../lib/display-name.ts'
import { loadMailDesign } from '../mail/design.ts'
import { createDeviceFacts, toRequestOrigin } from '../mail/device-facts.ts'
import type { COMMON_VARIABLES, MailKind, MailVariable } from '../mail/kinds.ts'
import { loadMailLogo } from '../mail/logo.ts'
import type { MailFact } from '../mail/mail.ts'
import { queueRenderedMail } from '../mail/outbox.ts'
import { toDocument } from '../mail/render/document.ts'
import { type RenderedMail, renderMail, toTestMail } from '../mail/render/render-mail.ts'
import { findUser, type User } from '../users/service.ts'
import { type MailEditsInput, parseEdits } from './rules.ts'
import { loadDefaults, type TemplateOwner } from './service.ts'
import { findTenantName, listTemplates } from './store.ts'

/** A mail with texts that need not be saved, and with sample values. Its button leads to the home page. */
export interface Draft {
  owner: TemplateOwner
  kind: MailKind
  /** In the current language, unless it names another. */
  input: MailEditsInput & { language?: Language }
  caller: Caller
  request: FastifyRequest
}

/** Throws what saving the texts would throw. */
export async function previewMail(ctx: Ctx, db: Db, draft: Draft): Promise<RenderedMail> {
  const mail = await renderDraft(ctx, db, draft, await findPerson(db, draft.caller))
  const logo = mail.logo === undefined ? undefined : await loadMailLogo(db, mail.logo)
  return { ...mail, html: toDocument(mail, logo) }
}

const TEST_LIMIT = { name: 'test-mail', max: 30, seconds: 3_600 }

/** Sends the mail to the caller, and to nobody else. */
export async function sendTestMail(ctx: Ctx, tx: Tx, draft: Draft): Promise<string> {
  const person = await findPerson(tx, draft.caller)
  if (!person) throw new AppError('FORBIDDEN', { message: t('Only a person has an address for a test mail.') })
  // An unverified address may belong to somebody else.
  if (!person.email_verified) throw new AppError('EMAIL_NOT_VERIFIED')
  const mail = await renderDraft(ctx, tx, draft, person)
  await countAgainstLimit(tx, TEST_LIMIT, person.id)
  await queueRenderedMail(ctx, tx, person.email, toTestMail(mail))
  return person.email
}

const findPerson = async (db: Db, caller: Caller): Promise<User | undefined> =>
  caller.kind === 'person' ? findUser(db, caller.userId) : undefined

async function renderDraft(ctx: Ctx, db: Db, draft: Draft, person: User | undefined): Promise<RenderedMail> {
  const { owner, kind, input, request } = draft
  const { language = currentLanguage() } = input
  const edits = parseEdits(kind, input, (await loadDefaults(db, owner))(kind))
  const ofInstance = owner ? await listTemplates(db, undefined) : []
  const { brand } = await loadMailDesign(db, kind, { ...owner, unapproved: true })
  const tenant = (owner && (await findTenantName(db, owner.tenantId))) ?? SAMPLE_TENANT
  const name = person ? toDisplayName(person) : ''
  const mail = {
    kind,
    design: { brand, edits: [...ofInstance.filter((template) => template.kind === kind), edits] },
    to: person?.email ?? SAMPLE_ADDRESS,
    baseUrl: ctx.config.baseUrl,
    path: '/',
    values: {
      tenant,
      inviter: name,
      actor: name,
      operator: name,
      member: SAMPLE_MEMBER,
      expires: new Date(ctx.now().getTime() + ctx.config.lifetimes.invitation * 1_000),
      code: SAMPLE_CODE,
      validity: ctx.config.lifetimes.emailLink,
    } satisfies Record<OwnVariable, unknown>,
    facts: createSampleFacts(ctx, request)[kind],
  }
  return runInLanguage(language, () => renderMail(mail))
}

type OwnVariable = Exclude<MailVariable, (typeof COMMON_VARIABLES)[number]>

const SAMPLE_TENANT = 'Acme'
const SAMPLE_MEMBER = 'Mia Member'
const SAMPLE_APPLICATION = 'Project Manager'
const SAMPLE_CODE = '123456'
const SAMPLE_ADDRESS = 'you@example.com'

const createSampleFacts = (ctx: Ctx, request: FastifyRequest): Partial<Record<MailKind, MailFact[]>> => ({
  invitation: [{ label: 'role', value: 'member' }],
  'new-device': createDeviceFacts(ctx, toRequestOrigin(request)),
  'device-allowed': [
    { label: 'application', value: SAMPLE_APPLICATION },
    ...createDeviceFacts(ctx, toRequestOrigin(request)),
  ],
  'email-changed': [{ label: 'newAddress', value: SAMPLE_ADDRESS }],
  'email-change-requested': [{ label: 'newAddress', value: SAMPLE_ADDRESS }],
  'webhook-disabled': [{ label: 'disabledReason', value: 'UNREACHABLE' }],
  'instance-webhook-disabled': [{ label: 'disabledReason', value: 'UNREACHABLE' }],
  'super-admin': [{ label: 'service', value: ctx.config.baseUrl }],
})
