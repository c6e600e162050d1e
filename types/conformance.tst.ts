import { expect, test } from 'tstyche'

import type { FastifyError } from 'fastify'
import type * as implementation from '../src/index.ts'
import type * as contract from './index.d.ts'

type Implementation = typeof implementation
type Contract = typeof contract

type Class = new (...args: never) => object

/** What the classes of a module make. */
type Objects<Module> = { [name in keyof Module]: Module[name] extends Class ? InstanceType<Module[name]> : never }
/** A constant is read-only, and a function that implements it is not. */
type MemberNames<Types> = { -readonly [name in keyof Types]: keyof Types[name] }

/** The names of methods that refuse arguments: TypeScript itself is content if parameters fit in either direction. */
type Refusing<Declared extends object, Actual extends Record<keyof Declared, unknown>> = {
  [name in keyof Declared]-?: RefusingMethods<Declared[name], Actual[name]>
}[keyof Declared]
type RefusingMethods<Declared, Actual> = {
  [name in keyof Declared & keyof Actual]-?: Declared[name] extends (...args: infer Given) => unknown
    ? Actual[name] extends (...args: infer Taken) => unknown ? Given extends Taken ? never : name : name
    : never
}[keyof Declared & keyof Actual]

/** The constructor of an error class, whose code and status the implementation knows as a string and a number only. */
type ErrorClass<Type extends Class> = new (
  ...args: ConstructorParameters<Type>
) => FastifyError & Omit<InstanceType<Type>, 'code' | 'statusCode'>

test('the implementation exports what the contract declares, and nothing else', () => {
  expect<keyof Implementation>().type.toBe<keyof Contract>()
})

test('the classes have the members that the contract declares, and no others', () => {
  expect<MemberNames<Objects<Implementation>>>().type.toBe<MemberNames<Objects<Contract>>>()
})

test('the methods take the arguments that the contract lets a caller pass', () => {
  expect<Refusing<Objects<Contract>, Objects<Implementation>>>().type.toBe<never>()
})

test('the implementation is what the contract declares', () => {
  expect<Implementation>().type.toBeAssignableTo<Omit<Contract, `${string}Error`>>()
})

test('the implementation has the errors that the contract declares', () => {
  expect<Implementation['VersionError']>().type.toBeAssignableTo<ErrorClass<Contract['VersionError']>>()
})
