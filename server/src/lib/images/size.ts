/** Of a picture, in pixels. */
export interface Size {
  width: number
  height: number
}
