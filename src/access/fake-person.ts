/** An invented person: the value of `${fake.person}`, and what `fakePerson()` of the library returns. */
export interface FakePerson {
  readonly name: string;
  readonly document: { readonly type: "CPF"; readonly number: string };
  readonly email: string;
  readonly phone: string;
}
