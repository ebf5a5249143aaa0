/** A participant of the Brazilian payment system. */
interface Institution {
  /** Eight characters, leading zeros kept; it identifies every participant. */
  readonly ispb: string;
  /** The three-digit clearing number, known as the bank's number; not every participant has one. */
  readonly compe?: string;
  readonly name: string;
}

/** The sandbox's own institution, which does not exist: it has the accounts and its ISPB is in the end-to-end ids. */
export const platformInstitution: Institution = { ispb: "99999004", name: "SANDBANK IP" };

/** The best-known banks and payment institutions of Brazil, ordered by clearing number. */
export const institutions: readonly Institution[] = [
  { compe: "001", ispb: "00000000", name: "Banco do Brasil" },
  { compe: "033", ispb: "90400888", name: "Santander" },
  { compe: "041", ispb: "92702067", name: "Banrisul" },
  { compe: "070", ispb: "00000208", name: "BRB" },
  { compe: "077", ispb: "00416968", name: "Inter" },
  { compe: "104", ispb: "00360305", name: "Caixa" },
  { compe: "197", ispb: "16501555", name: "Stone IP" },
  { compe: "208", ispb: "30306294", name: "BTG Pactual" },
  { compe: "212", ispb: "92894922", name: "Original" },
  { compe: "237", ispb: "60746948", name: "Bradesco" },
  { compe: "260", ispb: "18236120", name: "Nu Pagamentos IP" },
  { compe: "290", ispb: "08561701", name: "PagSeguro IP" },
  { compe: "323", ispb: "10573521", name: "Mercado Pago IP" },
  { compe: "332", ispb: "13140088", name: "Acesso IP" },
  { compe: "336", ispb: "31872495", name: "C6" },
  { compe: "341", ispb: "60701190", name: "Itaú Unibanco" },
  { compe: "364", ispb: "09089356", name: "Efí IP" },
  { compe: "380", ispb: "22896431", name: "PicPay IP" },
  { compe: "403", ispb: "37880206", name: "Cora SCFI" },
  { compe: "422", ispb: "58160789", name: "Safra" },
  { compe: "748", ispb: "01181521", name: "Sicredi" },
  { compe: "756", ispb: "02038232", name: "Sicoob" },
];

/** Other institutions that people have accounts at. No invented payer has one, so that worlds stay the same. */
const otherInstitutions: readonly Institution[] = [
  { compe: "003", ispb: "04902979", name: "Banco da Amazônia" },
  { compe: "004", ispb: "07237373", name: "Banco do Nordeste" },
  { compe: "021", ispb: "28127603", name: "Banestes" },
  { compe: "037", ispb: "04913711", name: "Banpará" },
  { compe: "047", ispb: "13009717", name: "Banese" },
  { compe: "085", ispb: "05463212", name: "Ailos" },
  { compe: "102", ispb: "02332886", name: "XP" },
  { compe: "121", ispb: "10664513", name: "Agibank" },
  { compe: "133", ispb: "10398952", name: "Cresol" },
  { compe: "136", ispb: "00315557", name: "Unicred" },
  { compe: "169", ispb: "71371686", name: "Olé" },
  { compe: "184", ispb: "17298092", name: "Itaú BBA" },
  { compe: "218", ispb: "71027866", name: "BS2" },
  { compe: "224", ispb: "58616418", name: "Fibra" },
  { compe: "246", ispb: "28195667", name: "ABC Brasil" },
  { compe: "254", ispb: "14388334", name: "Paraná Banco" },
  { compe: "265", ispb: "33644196", name: "Fator" },
  { compe: "274", ispb: "11581339", name: "BMP Money Plus" },
  { compe: "301", ispb: "13370835", name: "Dock IP" },
  { compe: "318", ispb: "61186680", name: "BMG" },
  { compe: "348", ispb: "33264668", name: "XP" },
  { compe: "389", ispb: "17184037", name: "Mercantil do Brasil" },
  { compe: "401", ispb: "15111975", name: "Iugu IP" },
  { compe: "461", ispb: "19540550", name: "Asaas IP" },
  { compe: "604", ispb: "31895683", name: "Industrial do Brasil" },
  { compe: "611", ispb: "61820817", name: "Paulista" },
  { compe: "612", ispb: "31880826", name: "Guanabara" },
  { compe: "623", ispb: "59285411", name: "Pan" },
  { compe: "633", ispb: "68900810", name: "Rendimento" },
  { compe: "634", ispb: "17351180", name: "Triângulo" },
  { compe: "637", ispb: "60889128", name: "Sofisa" },
  { compe: "643", ispb: "62144175", name: "Pine" },
  { compe: "653", ispb: "61024352", name: "Voiter" },
  { compe: "654", ispb: "92874270", name: "Digimais" },
  { compe: "655", ispb: "59588111", name: "Votorantim" },
  { compe: "707", ispb: "62232889", name: "Daycoval" },
  { compe: "739", ispb: "00558456", name: "Cetelem" },
  { compe: "741", ispb: "00517645", name: "Ribeirão Preto" },
  { compe: "743", ispb: "00795423", name: "Semear" },
  { compe: "745", ispb: "33479023", name: "Citibank" },
  { compe: "746", ispb: "30723886", name: "Modal" },
  { compe: "747", ispb: "01023570", name: "Rabobank" },
  { compe: "752", ispb: "01522368", name: "BNP Paribas" },
];

const byIspb = new Map(
  [...institutions, ...otherInstitutions, platformInstitution].map((one) => [one.ispb, one]),
);
const byCompe = new Map([...institutions, ...otherInstitutions].map((one) => [one.compe, one]));

/** Returns the institution of that ISPB, the platform's own included. Undefined for an unknown institution. */
export function institutionByIspb(ispb: string): Institution | undefined {
  return byIspb.get(ispb);
}

/** Returns the institution of that clearing number. Undefined for an unknown institution. */
export function institutionByCompe(compe: string): Institution | undefined {
  return byCompe.get(compe);
}
