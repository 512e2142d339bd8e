declare module 'linebreak' {
  /** Finds the places where a line may break (Unicode standard annex 14). */
  export default class LineBreaker {
    constructor(text: string)
    /** @returns null after the end of the text */
    nextBreak(): { readonly position: number; readonly required: boolean } | null
  }
}
