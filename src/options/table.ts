/** How an option is read. A table of them says which options there are: nothing else lists their names. */
export interface Option<Value, Context> {
  /** The default at the root of the app. */
  readonly default: Value
  /**
   * @param value what the user wrote; never undefined
   * @param name the name of the option, for the error
   * @throws FST_ERR_VERSIONING_OPTION naming the option and the value
   */
  readonly read: (value: unknown, name: string, context: Context) => Value
}

type Table<Context> = Readonly<Record<string, Option<unknown, Context>>>

/** The values of the options of a table. */
export type ValuesOf<Options> = {
  readonly [Name in keyof Options]: Options[Name] extends Option<infer Value, never> ? Value : never
}

/** An entry of a table. */
export function option<Value, Context = unknown> (
  byDefault: Value, read: Option<Value, Context>['read']
): Option<Value, Context> {
  return { default: byDefault, read }
}

/** The defaults of the options. */
export function defaultsOf<Options extends Table<never>> (table: Options): ValuesOf<Options> {
  const entries = Object.entries(table).map(([name, entry]) => [name, entry.default])
  return Object.freeze(Object.fromEntries(entries)) as ValuesOf<Options>
}

/**
 * Reads the given options, and inherits the others.
 *
 * @param given what the user wrote; `undefined` counts as absent
 * @param inherited the values of absent options
 * @param context what the table needs to read an option
 * @throws FST_ERR_VERSIONING_OPTION naming the option and the value
 */
export function readOptions<Context, Options extends Table<Context>> (
  table: Options, given: object, inherited: ValuesOf<Options>, context: Context
): ValuesOf<Options> {
  const entries = Object.keys(table).map((name) => {
    const value: unknown = Reflect.get(given, name)
    return [name, value === undefined ? inherited[name] : table[name].read(value, name, context)]
  })
  return Object.fromEntries(entries) as ValuesOf<Options>
}
