import type { DailyLicenseUsage } from '@latchkey/client/types'

/** Space for axis labels. */
const MARGIN = { top: 10, end: 8, bottom: 26, start: 40 }
const TICK_GAP = 8
const TICK_WIDTH = 84

/**
 * The coordinates of a chart with one strip per day. The values are those at the end of the day. The days follow each
 * other in the direction of reading.
 */
export interface Scale {
  width: number
  height: number
  /** The edge before the first day, where the text of the ticks ends. */
  start: number
  textEnd: number
  /** The edge after the last day. */
  end: number
  bottom: number
  /** The edge at which the strip of a day begins. The index after the last gives the end of the chart. */
  x: (index: number) => number
  y: (seats: number) => number
  /** Integer tick values from zero to at least the maximum. */
  ticks: number[]
  /** Indexes of the days with a label. */
  labeled: number[]
  /** The index of the day at a horizontal position. */
  indexAt: (x: number) => number
}

interface Size {
  width: number
  height: number
  dir: 'ltr' | 'rtl'
}

export function createScale(days: DailyLicenseUsage[], { width, height, dir }: Size): Scale {
  const max = Math.max(1, ...days.map(({ purchased, assigned }) => Math.max(purchased, assigned)))
  const step = niceStep(max)
  const top = Math.ceil(max / step) * step
  const end = width - MARGIN.end
  const bottom = height - MARGIN.bottom
  const strip = (end - MARGIN.start) / days.length
  const mirror = (x: number) => (dir === 'rtl' ? width - x : x)
  return {
    width,
    height,
    start: mirror(MARGIN.start),
    textEnd: mirror(MARGIN.start - TICK_GAP),
    end: mirror(end),
    bottom,
    x: (index) => mirror(MARGIN.start + index * strip),
    y: (seats) => bottom - (seats / top) * (bottom - MARGIN.top),
    ticks: Array.from({ length: top / step + 1 }, (_, index) => index * step),
    labeled: pickDays(days.length, Math.max(2, Math.floor((end - MARGIN.start) / TICK_WIDTH))),
    indexAt: (x) => Math.min(days.length - 1, Math.max(0, Math.floor((mirror(x) - MARGIN.start) / strip))),
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
