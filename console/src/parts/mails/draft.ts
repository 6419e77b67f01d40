import type { MailTemplate } from './mails-api.ts'

/** The texts as they are edited. The service stores only those that differ from the default. */
export type Texts = MailTemplate['defaults']

export interface DraftState {
  draft: Texts
  /** The texts that the draft began with. If it still equals them, the person is not editing. */
  base: Texts
  /** The last texts of the service. */
  seen: Texts
}

export const startDraft = (texts: Texts): DraftState => ({ draft: texts, base: texts, seen: texts })

const isSame = (a: Texts, b: Texts): boolean =>
  a.subject === b.subject && a.heading === b.heading && a.text === b.text && a.button === b.button

/** Takes over new texts of the service, unless the person is editing. Without new ones, returns the same state. */
export function takeOver(state: DraftState, texts: Texts): DraftState {
  if (isSame(state.seen, texts)) return state
  return { draft: isSame(state.draft, state.base) ? texts : state.draft, base: texts, seen: texts }
}
