import type { Target } from './target.ts'

/** The measured operation. */
export interface Operation {
  run(): Promise<unknown>
  /** Makes the operation repeatable. Not measured. */
  undo?(): Promise<unknown>
}

export interface GrowthPlan {
  id: string
  name: string
  maxRatio?: number
  prepare(target: Target): Promise<Operation>
}
