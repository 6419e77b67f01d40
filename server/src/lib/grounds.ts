/**
 * What an answer rests on: as long as all of it stands, the same question has the same answer. Whoever tells something
 * from what is remembered, or by the clock, says so here; whether anybody wants to know is not for them to ask.
 */
export interface Grounds {
  readonly facts: Ground[]
  /** The moment at which the clock alone may change the answer, in milliseconds. */
  until: number
  /** Where no two answers may be the same, makes the next: all that had to be found out for it is what stands. */
  next?: () => Promise<object>
}

/** Something remembered that may be forgotten, because it has changed or for lack of room. */
export interface Ground {
  isGone: boolean
}

export const newGrounds = (): Grounds => ({ facts: [], until: Number.POSITIVE_INFINITY })

let current: Grounds | undefined

/** Does some work and notes what it rests on. Only what is done at once counts: what waits rests on nothing known. */
export function noteGrounds<T>(grounds: Grounds, work: () => T): T {
  const before = current
  current = grounds
  try {
    const done = work()
    if (done instanceof Promise && !grounds.next) grounds.until = 0
    return done
  } finally {
    current = before
  }
}

/** What is told now rests on this. */
export const restOn = (fact: Ground): void => void current?.facts.push(fact)

/** What is told now may be otherwise from then on. */
export function restUntil(moment: Date): void {
  if (current && moment.getTime() < current.until) current.until = moment.getTime()
}

/** All that had to be found out is: who asks the same while it stands is given what this makes. */
export function answerNextBy(make: () => Promise<object>): void {
  if (current) current.next = make
}

export function isStanding({ facts, until }: Grounds, now: Date): boolean {
  if (now.getTime() >= until) return false
  for (const { isGone } of facts) if (isGone) return false
  return true
}
