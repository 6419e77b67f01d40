import type { Tx } from '../db/open.ts'
import { type RecipientFilter, selectRecipients } from './recipients-store.ts'

const MAX_RECIPIENTS = 200

/** The active members with these roles and a confirmed address: owners first, then in the order of joining. */
export const listRecipients = (tx: Tx, filter: Omit<RecipientFilter, 'limit'>) =>
  selectRecipients(tx, { ...filter, limit: MAX_RECIPIENTS })
