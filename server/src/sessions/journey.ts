import type { Ctx } from '../context.ts'
import { sealText, unsealText } from '../lib/seal.ts'

/**
 * Where a person was going when a page of ours had to stop them: sealed into the address of the page, so that every
 * tab has its own, a reload or the back button loses nothing, and nobody can send them elsewhere.
 */
export interface Journey {
  /** The path of ours that takes it up again. */
  next: string
  startedAt: number
  /** The application they are going to, by which client, and the address they are expected to sign in with. */
  application?: string | undefined
  clientId?: string | undefined
  loginHint?: string | undefined
  /** The tenant they are going to, by its slug, when that was said from the start. */
  tenant?: string | undefined
  /** The application wants to be sure that the sign-in is at most so many seconds old; 0: that it is a new one. */
  maxAge?: number | undefined
  /** Whoever is signed in must sign in again all the same. */
  again?: boolean
  /** Origins that the way may lead to after a form was sent. */
  formTargets: string[]
  /** What the path that takes it up needs to know. */
  luggage: unknown
}

const PURPOSE = 'journey'
const LONGEST_MS = 24 * 3_600_000

/** Undefined for anything that is not ours, or older than a day. */
export function openJourney(ctx: Ctx, sealed: string | undefined): Journey | undefined {
  const text = unsealText(ctx.keys, PURPOSE, sealed)
  const journey = text === undefined ? undefined : (JSON.parse(text) as Journey)
  return journey && ctx.now().getTime() - journey.startedAt < LONGEST_MS ? journey : undefined
}

/** The address of the sign-in on the way. `again`: also for whoever is signed in. */
export const signInAddress = (ctx: Ctx, journey: Journey, again: boolean): string =>
  withJourney(ctx, '/login', { ...journey, again })

/** The address of a page of ours that knows about the journey. */
export const withJourney = (ctx: Ctx, path: string, journey: Journey): string =>
  `${path}?journey=${sealText(ctx.keys, PURPOSE, JSON.stringify(journey))}`

/** The address of a page of ours, for somebody who may be on a journey. */
export const pageOf = (ctx: Ctx, path: string, journey: Journey | undefined): string =>
  journey ? withJourney(ctx, path, journey) : path
