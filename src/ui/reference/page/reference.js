// @ts-check
import { offerCopies } from "./copies.js";
import { offerSearch } from "./search.js";
import { followReader } from "./place.js";

offerSearch();
offerCopies();
followReader();
