import type { Talk } from './row.ts'

/** What is asked of a program, and for how long. */
export interface Load {
  url: string
  /** One for each connection. */
  talks: Talk[]
  /** Asked at the same time on connections of their own, and not counted. */
  meanwhile?: Talk[]
  /** Before the clock runs. */
  warm: Span
  /** While it runs. */
  span: Span
  /** When the clock begins to run, and when it ends. */
  onClock?(moment: 'begin' | 'end'): void
}

/** How long something goes on: for a while, and until so many answers are there, but not for ever. */
export interface Span {
  ms: number
  answers: number
  mostMs: number
}

export interface Measured {
  perSecond: number
  /** Milliseconds. */
  p50: number
  p99: number
  /** Answers while the clock ran. */
  answers: number
  /** Answers to what was asked meanwhile. */
  meanwhilePerSecond: number
  /** With those before and after it. */
  allAnswers: number
}

/** An answer that was not what it must be: then there is nothing to measure. */
export class WrongAnswer extends Error {}
