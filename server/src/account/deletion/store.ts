import type { Tx } from '../../db/open.ts'

/** The addresses that the person had or requested before, according to the audit log. */
export async function listFormerAddresses(tx: Tx, userId: string): Promise<string[]> {
  const entries = await tx
    .selectFrom('audit_entries')
    .select('personal')
    .where('user_id', '=', userId)
    .where('action', 'in', ['user.email_changed', 'user.email_change_requested'])
    .execute()
  return entries.flatMap(({ personal: { before, newEmail } }) =>
    [before, newEmail].filter((address) => typeof address === 'string'),
  )
}

/** Deletes the mail to these addresses, except addresses of other users and of open mailed links. */
export async function deleteMailTo(tx: Tx, addresses: string[]): Promise<void> {
  await tx
    .deleteFrom('mail_messages')
    .where('recipient', 'in', addresses)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('users').select('id').whereRef('users.email', '=', 'mail_messages.recipient'))),
    )
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('mailed_links').select('hash').whereRef('email', '=', 'mail_messages.recipient'))),
    )
    .execute()
}

/** Deletes the stored responses of the person's idempotent requests. */
export async function deleteIdempotencyKeys(tx: Tx, userId: string): Promise<void> {
  await tx
    .deleteFrom('idempotency_keys')
    .where((where) => where.or([where('caller', '=', userId), where('caller', 'like', `${userId}@%`)]))
    .execute()
}
