import { findChanges } from '../audit/changes.ts'
import { type AuditSource, recordAuditEvent } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import type { Db, Tx } from '../db/open.ts'
import { AppError } from '../errors.ts'
import { applyEdits } from '../mail/design.ts'
import { isMailKind, listMailKinds, listVariables, type MailKind, TENANT_MAIL_KINDS } from '../mail/kinds.ts'
import { findDefaultText } from '../mail/texts/find-text.ts'
import type { MailText } from '../mail/texts/text.ts'
import { type MailEditsInput, NO_EDITS, parseEdits } from './rules.ts'
import type { MailTemplateBody } from './schema.ts'
import { deleteTemplate, listTemplates, type StoredTemplate, type TemplateOwner, upsertTemplate } from './store.ts'

/**
 * Mail templates: the subject, heading, text and button label of each kind of mail, edited for the instance or for a
 * tenant. Texts of the instance are the defaults of a tenant.
 */

export type { TemplateOwner }

export const listKindsOf = (owner: TemplateOwner): readonly MailKind[] => (owner ? TENANT_MAIL_KINDS : listMailKinds())

export function requireKind(owner: TemplateOwner, kind: string): MailKind {
  if (!isMailKind(kind) || !listKindsOf(owner).includes(kind)) throw new AppError('MAIL_TEMPLATE_NOT_FOUND')
  return kind
}

export async function listMailTemplates(db: Db, owner: TemplateOwner): Promise<MailTemplateBody[]> {
  const [stored, defaultsOf] = [await listTemplates(db, owner), await loadDefaults(db, owner)]
  return listKindsOf(owner).map((kind) =>
    toBody(
      kind,
      stored.find((template) => template.kind === kind),
      defaultsOf(kind),
    ),
  )
}

export async function getMailTemplate(db: Db, owner: TemplateOwner, kind: MailKind): Promise<MailTemplateBody> {
  const stored = (await listTemplates(db, owner)).find((template) => template.kind === kind)
  return toBody(kind, stored, (await loadDefaults(db, owner))(kind))
}

/** The texts in place of those that are not edited. */
export async function loadDefaults(db: Db, owner: TemplateOwner): Promise<(kind: MailKind) => MailText> {
  const ofInstance = owner ? await listTemplates(db, undefined) : []
  return (kind) =>
    applyEdits(
      findDefaultText(kind),
      ofInstance.find((template) => template.kind === kind),
    )
}

function toBody(kind: MailKind, stored: StoredTemplate | undefined, defaults: MailText): MailTemplateBody {
  const { subject, heading, text, button, note } = defaults
  const edits = stored ?? NO_EDITS
  return {
    kind,
    variables: [...listVariables(kind)],
    subject: edits.subject,
    heading: edits.heading,
    text: edits.text,
    button: edits.button,
    defaults: { subject, heading, text, button },
    note: note ?? null,
    updatedAt: stored?.updatedAt.toISOString() ?? null,
  }
}

/** A change of the texts of one kind. */
interface Edit {
  owner: TemplateOwner
  kind: MailKind
  input: MailEditsInput
  source: AuditSource
}

/** Replaces the texts. The caller must hold the lock of the tenant, or that of the templates of the instance. */
export async function setMailTemplate(
  ctx: Ctx,
  tx: Tx,
  { owner, kind, input, source }: Edit,
): Promise<MailTemplateBody> {
  const edits = parseEdits(kind, input, (await loadDefaults(tx, owner))(kind))
  const { subject, heading, text, button } =
    (await listTemplates(tx, owner)).find((template) => template.kind === kind) ?? NO_EDITS
  const changes = findChanges({ subject, heading, text, button }, { ...edits })
  if (changes) {
    const isEmpty = Object.values(edits).every((value) => value === null)
    if (isEmpty) await deleteTemplate(tx, owner, kind)
    else await upsertTemplate(tx, owner, { kind, ...edits, updatedAt: ctx.now() })
    await recordAuditEvent(ctx, tx, {
      action: owner ? 'tenant.mail_template_changed' : 'mail_template.changed',
      ...source,
      ...owner,
      details: { kind, ...changes },
    })
  }
  return getMailTemplate(tx, owner, kind)
}
