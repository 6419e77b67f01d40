import type { DayOfUsage } from 'latchkey-sdk/types'

/** Room around the drawing, for what is written beside it. */
const ROOM = { top: 10, right: 8, bottom: 26, left: 40 }
const TICK_WIDTH = 84

/** Where things stand in a chart of days: each day has a strip of its own, because its numbers are those of its end. */
export interface Scale {
  width: number
  height: number
  left: number
  right: number
  bottom: number
  /** Where the strip of a day begins; the one after the last is the end. */
  x: (index: number) => number
  y: (seats: number) => number
  /** Whole numbers of seats, from none to at least the most there were. */
  ticks: number[]
  /** Which days are named below. */
  named: number[]
  /** The day at a place. */
  indexAt: (x: number) => number
}

export function createScale(days: DayOfUsage[], width: number, height: number): Scale {
  const most = Math.max(1, ...days.map(({ purchased, assigned }) => Math.max(purchased, assigned)))
  const step = niceStep(most)
  const top = Math.ceil(most / step) * step
  const right = width - ROOM.right
  const bottom = height - ROOM.bottom
  const strip = (right - ROOM.left) / days.length
  return {
    width,
    height,
    left: ROOM.left,
    right,
    bottom,
    x: (index) => ROOM.left + index * strip,
    y: (seats) => bottom - (seats / top) * (bottom - ROOM.top),
    ticks: Array.from({ length: top / step + 1 }, (_, index) => index * step),
    named: pickDays(days.length, Math.max(2, Math.floor((right - ROOM.left) / TICK_WIDTH))),
    indexAt: (x) => Math.min(days.length - 1, Math.max(0, Math.floor((x - ROOM.left) / strip))),
  }
}

/** 1, 2, 5, 10, 20, 50 …: about four steps up to the most. */
function niceStep(most: number): number {
  const rough = most / 4
  const power = 10 ** Math.floor(Math.log10(Math.max(1, rough)))
  const factor = [1, 2, 5, 10].find((each) => each * power >= rough) ?? 10
  return factor * power
}

/** So many days, evenly apart; the last is today. */
function pickDays(length: number, many: number): number[] {
  const apart = Math.max(1, Math.ceil(length / many))
  const picked: number[] = []
  for (let index = length - 1; index >= 0; index -= apart) picked.unshift(index)
  return picked
}

/** A line of steps through the days. */
export function drawSteps(values: number[], { x, y }: Scale): string {
  const [first = 0] = values
  const steps = values.map((value, index) => `V${round(y(value))}H${round(x(index + 1))}`)
  return `M${round(x(0))},${round(y(first))}${steps.join('')}`
}

/** The same, filled down to the ground. */
export const drawArea = (values: number[], scale: Scale): string =>
  `${drawSteps(values, scale)}V${round(scale.bottom)}H${round(scale.x(0))}Z`

const round = (place: number): number => Math.round(place * 10) / 10
