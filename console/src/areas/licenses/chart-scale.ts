import type { DailyLicenseUsage } from '@latchkey/client/types'

/** Space for axis labels. */
const MARGIN = { top: 10, right: 8, bottom: 26, left: 40 }
const TICK_WIDTH = 84

/** The coordinates of a chart with one strip per day. The values are those at the end of the day. */
export interface Scale {
  width: number
  height: number
  left: number
  right: number
  bottom: number
  /** The left edge of the strip of a day. The index after the last gives the right edge of the chart. */
  x: (index: number) => number
  y: (seats: number) => number
  /** Integer tick values from zero to at least the maximum. */
  ticks: number[]
  /** Indexes of the days with a label. */
  labeled: number[]
  /** The index of the day at a horizontal position. */
  indexAt: (x: number) => number
}

export function createScale(days: DailyLicenseUsage[], width: number, height: number): Scale {
  const max = Math.max(1, ...days.map(({ purchased, assigned }) => Math.max(purchased, assigned)))
  const step = niceStep(max)
  const top = Math.ceil(max / step) * step
  const right = width - MARGIN.right
  const bottom = height - MARGIN.bottom
  const strip = (right - MARGIN.left) / days.length
  return {
    width,
    height,
    left: MARGIN.left,
    right,
    bottom,
    x: (index) => MARGIN.left + index * strip,
    y: (seats) => bottom - (seats / top) * (bottom - MARGIN.top),
    ticks: Array.from({ length: top / step + 1 }, (_, index) => index * step),
    labeled: pickDays(days.length, Math.max(2, Math.floor((right - MARGIN.left) / TICK_WIDTH))),
    indexAt: (x) => Math.min(days.length - 1, Math.max(0, Math.floor((x - MARGIN.left) / strip))),
  }
}

/** A step of 1, 2, 5, 10, 20, 50 …, for about four ticks. */
function niceStep(max: number): number {
  const exactStep = max / 4
  const power = 10 ** Math.floor(Math.log10(Math.max(1, exactStep)))
  const factor = [1, 2, 5, 10].find((candidate) => candidate * power >= exactStep) ?? 10
  return factor * power
}

/** At most `maxCount` evenly spaced indexes that include the last one. */
function pickDays(length: number, maxCount: number): number[] {
  const spacing = Math.max(1, Math.ceil(length / maxCount))
  const picked: number[] = []
  for (let index = length - 1; index >= 0; index -= spacing) picked.unshift(index)
  return picked
}

/** The SVG path of a step line. */
export function drawSteps(values: number[], { x, y }: Scale): string {
  const [first = 0] = values
  const steps = values.map((value, index) => `V${round(y(value))}H${round(x(index + 1))}`)
  return `M${round(x(0))},${round(y(first))}${steps.join('')}`
}

/** The SVG path of the area below the step line. */
export const drawArea = (values: number[], scale: Scale): string =>
  `${drawSteps(values, scale)}V${round(scale.bottom)}H${round(scale.x(0))}Z`

const round = (coordinate: number): number => Math.round(coordinate * 10) / 10
